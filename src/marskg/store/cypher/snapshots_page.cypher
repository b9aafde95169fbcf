// One page of the snapshots that were written of a tenant.
MATCH (s:Snapshot) WHERE s.ref >= $low AND s.ref < $high
RETURN s.ref AS ref, properties(s) AS node ORDER BY s.ref LIMIT $limit
