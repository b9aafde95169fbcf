// Audit records by their references.
UNWIND $refs AS ref
MATCH (a:AuditRecord {ref: ref})
RETURN properties(a) AS record ORDER BY a.ref
