// Whole nodes with their outgoing edges, for a unit of work.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
OPTIONAL MATCH (m)-[e]->(t)
RETURN ref AS ref, properties(m) AS node, type(e) AS type, t.id AS target, t.tier AS tier, t.kind AS kind,
       e.created AS created, e.weight AS weight
