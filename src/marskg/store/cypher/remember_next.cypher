// As remember_one, for an episode that follows another one of its session.
$CLAIM$
MATCH (p:Memory {ref: $previous})
SET t += $set
CREATE (m:Memory:$KIND$ $node)
CREATE (p)-[:temporalNext {created: $created}]->(m)
CREATE (a:AuditRecord $record)
RETURN m.id AS id
