// What was read from memories and holds no longer: where the words of it stand.
UNWIND $refs AS ref
MATCH (f:Memory)-[:derivesFrom]->(m:Memory {ref: ref}) WHERE f.supersededAt IS NOT NULL AND f.spans IS NOT NULL
RETURN f.id AS id, m.id AS source, f.spans AS spans
