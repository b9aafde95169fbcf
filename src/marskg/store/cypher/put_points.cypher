// The vectors of memories as the engine's own index reads them; one of a memory without content is never put.
UNWIND $rows AS row
MATCH (m:Memory {ref: row.ref}) WHERE m.content IS NOT NULL
MERGE (p:VectorPoint {ref: row.ref})
SET p.vector$DIMENSION$ = row.vector
RETURN count(*) AS stored
