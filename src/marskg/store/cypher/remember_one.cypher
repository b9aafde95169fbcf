// The governed write in one statement: the sequence is checked, the node and its signed record are created.
$CLAIM$
SET t += $set
CREATE (m:Memory:$KIND$ $node)
CREATE (a:AuditRecord $record)
RETURN m.id AS id
