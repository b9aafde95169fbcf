// As load_memories, of what is to lose its content: with who refers to it, which costs no second look-up here.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
OPTIONAL MATCH (m)-[e]->(t)
RETURN ref AS ref, properties(m) AS node, type(e) AS type, t.id AS target, t.tier AS tier, t.kind AS kind,
       e.created AS created, e.weight AS weight, [(m)<-[i]-(s:Memory) | [s.id, type(i), s.tier]] AS incoming
