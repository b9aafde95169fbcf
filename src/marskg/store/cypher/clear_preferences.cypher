MATCH (n:Preference) WHERE n.ref >= $low AND n.ref < $high
WITH n LIMIT $limit
DELETE n
RETURN count(*) AS removed
