// What keeps a memory from being forgotten: a pin, its being an active task, and what with content rests on it.
MATCH (m:Memory {ref: $ref}) WHERE m.pinned = true
RETURN 'its pin' AS why, null AS by
UNION ALL
MATCH (m:Memory {ref: $ref}) WHERE m.guarding = true
RETURN 'being an active task' AS why, null AS by
UNION ALL
MATCH (t:Memory)-[:requires]->(m:Memory {ref: $ref}) WHERE t.guarding = true
RETURN 'the active task ' + t.id + ', which requires it' AS why, t.id AS by
UNION ALL
MATCH (d:Memory)-[:dependsOn]->(m:Memory {ref: $ref}) WHERE d.content IS NOT NULL
RETURN d.id + ', which depends on it' AS why, d.id AS by
