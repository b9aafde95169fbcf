MATCH (f:Filler) WITH f LIMIT $limit
DETACH DELETE f
RETURN count(*) AS removed
