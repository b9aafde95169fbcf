// One page of an access log: which memories each record is about.
MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high
RETURN a.ref AS ref, a.sequence AS sequence, a.memories AS memories ORDER BY a.ref LIMIT $limit
