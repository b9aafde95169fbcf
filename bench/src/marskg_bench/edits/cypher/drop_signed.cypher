MATCH (a:AuditRecord {ref: $ref}) DELETE a
