MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high
WITH m LIMIT $limit
DETACH DELETE m
RETURN count(*) AS removed
