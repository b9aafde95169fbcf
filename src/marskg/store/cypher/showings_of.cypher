// One page of the records of the access log that are about one memory, in order.
MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high AND $id IN a.memories
RETURN properties(a) AS record ORDER BY a.ref LIMIT $limit
