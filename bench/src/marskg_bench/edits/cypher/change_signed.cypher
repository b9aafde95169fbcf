MATCH (a:AuditRecord {ref: $ref}) SET a = $node
