// Episodes, each with its record, and the chain among them. What one UNWIND creates its later rows cannot match, so
// the links name the episodes by their places among the rows.
UNWIND $rows AS row
CREATE (m:Memory:$KIND$ $MEMORY(row.node)$)
CREATE (a:AuditRecord $RECORD(row.record)$)
WITH collect(m) AS made
UNWIND $links AS link
WITH made[link.source] AS s, made[link.target] AS t, link
CREATE (s)-[:temporalNext {created: link.created}]->(t)
RETURN count(*) AS created
