// Who refers to these nodes, and whether the referrer still has content.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})<-[e]-(s:Memory)
RETURN ref AS ref, s.id AS source, type(e) AS type, s.tier AS tier, s.weight AS weight
