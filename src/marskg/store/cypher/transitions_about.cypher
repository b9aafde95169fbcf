// The records of the transition log about these nodes, by the references of the records.
UNWIND $refs AS ref
MATCH (a:AuditRecord {memory: ref})
RETURN a.ref AS ref, a.sequence AS sequence ORDER BY a.sequence
