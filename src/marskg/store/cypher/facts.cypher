// What the write gate asks of the nodes that a new edge points to (semantics I2-I4).
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.kind AS kind, m.tier AS tier, m.status AS status, m.expiresAt AS expiresAt
