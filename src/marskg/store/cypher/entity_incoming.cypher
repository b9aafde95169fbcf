// The entities that point to one of these.
UNWIND $refs AS ref
MATCH (s:Entity)-[e]->(n:Entity {ref: ref})
RETURN DISTINCT s.id AS source
