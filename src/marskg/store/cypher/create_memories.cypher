// Nodes of one kind, each with its record.
UNWIND $rows AS row
CREATE (m:Memory:$KIND$ $MEMORY(row.node)$)
CREATE (a:AuditRecord $RECORD(row.record)$)
