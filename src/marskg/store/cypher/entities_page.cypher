MATCH (n:Entity) WHERE n.ref >= $low AND n.ref < $high
RETURN n.ref AS ref ORDER BY n.ref LIMIT $limit
