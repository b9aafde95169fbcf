MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high
RETURN a.leaf AS leaf ORDER BY a.ref LIMIT $limit
