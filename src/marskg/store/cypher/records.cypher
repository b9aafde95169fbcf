// One page of a tenant's audit, by reference, in order.
MATCH (a:AuditRecord) WHERE a.ref >= $low AND a.ref < $high
RETURN properties(a) AS record ORDER BY a.ref LIMIT $limit
