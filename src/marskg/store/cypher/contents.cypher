// The texts of memories that have one, to be turned into vectors, with those that they have.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref}) WHERE m.content IS NOT NULL
RETURN ref AS ref, m.content AS content, m.embedding AS embedding
