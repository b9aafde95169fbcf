// The number of the last record of a log.
MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high
RETURN max(a.sequence) AS last
