// Whether one of the targets leads back to the source over the edges that must stay acyclic (section 2).
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})-[:derivesFrom|dependsOn|supersedes|requires*0..]->(s:Memory {ref: $source})
RETURN m.id AS id LIMIT 1
