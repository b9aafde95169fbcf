// What memories say, so that no reason repeats it.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.content AS content
