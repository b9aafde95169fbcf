// The records of the transition log about these nodes, by the references of the records; those of the access log, which
// may also be about one node alone, come before it in the order of references.
UNWIND $refs AS ref
MATCH (a:AuditRecord {memory: ref}) WHERE a.ref >= $low
RETURN a.ref AS ref, a.sequence AS sequence ORDER BY a.sequence
