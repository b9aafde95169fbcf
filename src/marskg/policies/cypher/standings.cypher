// Named memories, with what says whose word they are.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.weight AS weight, m.sourceType AS source, m.reliability AS reliability
