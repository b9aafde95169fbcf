// One page of a tenant's memories with whom they are about, by their references; of a tombstone nobody is left.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high
RETURN m.ref AS ref, m.subjects AS subjects ORDER BY m.ref LIMIT $limit
