// Nodes of one kind, each with its record.
UNWIND $rows AS row
CREATE (m:Memory:$KIND$) SET m = row.node
CREATE (a:AuditRecord) SET a = row.record
