MATCH (a:AuditRecord {ref: $ref}) RETURN a.leaf AS leaf
