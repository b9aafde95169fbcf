// Some of what the engine's vector index holds of a tenant.
MATCH (p:VectorPoint) WHERE p.ref >= $low AND p.ref < $high
WITH p LIMIT $limit
DETACH DELETE p
RETURN count(*) AS removed
