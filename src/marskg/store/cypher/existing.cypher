UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id
