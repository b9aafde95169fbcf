CREATE (a:AuditRecord) SET a = $node
