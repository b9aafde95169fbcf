// One page of a tenant's memories in the order of their references, for exports and full checks.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high
RETURN m.ref AS ref ORDER BY m.ref LIMIT $limit
