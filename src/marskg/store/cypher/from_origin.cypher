// One page of the tenant's tombstones of what came from one session or source, which is known by its handle.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND $handle IN m.originHandles
RETURN m.ref AS ref, m.id AS id ORDER BY m.ref LIMIT $limit
