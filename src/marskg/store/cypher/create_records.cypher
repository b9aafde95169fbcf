UNWIND $rows AS row
CREATE (a:AuditRecord $RECORD(row)$)
