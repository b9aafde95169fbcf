// One page of a tenant's blocks of leaf hashes.
MATCH (b:AuditTile) WHERE b.ref >= $low AND b.ref < $high
RETURN b.ref AS ref, b.log AS log, b.index AS index, b.hashes AS hashes ORDER BY b.ref LIMIT $limit
