// Vectors that were made after the write; a memory that lost its content meanwhile gets none.
UNWIND $rows AS row
MATCH (m:Memory {ref: row.ref}) WHERE m.content IS NOT NULL
SET m.embedding = row.embedding
RETURN count(*) AS updated
