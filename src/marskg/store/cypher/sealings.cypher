// When details of one log were pruned, the last time first.
MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high AND a.operation = 'seal'
RETURN a.recordedAt AS recordedAt ORDER BY a.ref DESC LIMIT 1
