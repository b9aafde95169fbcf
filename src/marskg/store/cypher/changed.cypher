// Which nodes the records of one log after a sequence are about.
MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high
RETURN a.sequence AS sequence, a.operation AS operation, a.memories AS memories ORDER BY a.ref LIMIT $limit
