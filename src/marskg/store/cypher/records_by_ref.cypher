UNWIND $refs AS ref
MATCH (a:AuditRecord {ref: ref})
RETURN a.ref AS ref, a.details AS details, a.salts AS salts, a.memories AS memories
