// The signed record at one place of a log.
MATCH (a:AuditRecord {ref: $ref}) RETURN properties(a) AS node
