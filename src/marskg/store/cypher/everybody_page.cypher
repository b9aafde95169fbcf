// A page of whole nodes without their edges: what everybody is called.
MATCH (n:Entity) WHERE n.ref >= $low AND n.ref < $high
RETURN n.ref AS ref, properties(n) AS node ORDER BY n.ref LIMIT $limit
