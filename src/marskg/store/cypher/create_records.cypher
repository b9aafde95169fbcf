UNWIND $rows AS row
CREATE (a:AuditRecord) SET a = row
