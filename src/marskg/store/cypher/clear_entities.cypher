MATCH (n:Entity) WHERE n.ref >= $low AND n.ref < $high
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS removed
