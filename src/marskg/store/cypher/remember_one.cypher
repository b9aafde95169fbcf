// The governed write in one statement: the sequence is checked, the node and its signed record are created.
MATCH (t:Tenant {ref: $tenant}) WHERE t.sequence = $expected AND t.accessSequence = $accessed
SET t += $set
CREATE (m:Memory:$KIND$) SET m = $node
CREATE (a:AuditRecord) SET a = $record
RETURN m.id AS id
