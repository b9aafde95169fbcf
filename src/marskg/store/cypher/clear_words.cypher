MATCH (n:EntityWord) WHERE n.ref >= $low AND n.ref < $high
WITH n LIMIT $limit
DELETE n
RETURN count(*) AS removed
