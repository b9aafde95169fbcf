// How sensitive each of these is, and what it depends on: that stays with it in quarantine.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
OPTIONAL MATCH (m)-[:dependsOn]->(b:Memory)
RETURN m.id AS id, m.sensitivity AS sensitivity, collect(b.id) AS bases
