// One page of a tenant's digests of what was erased, for checkpoints.
MATCH (s:Suppression) WHERE s.ref >= $low AND s.ref < $high
RETURN s.ref AS ref ORDER BY s.ref LIMIT $limit
