UNWIND $refs AS ref
MATCH (n:Entity {ref: ref})
OPTIONAL MATCH (n)-[e]->(t:Entity)
RETURN ref AS ref, properties(n) AS node, type(e) AS type, t.id AS target, e.created AS created, e.weight AS weight
