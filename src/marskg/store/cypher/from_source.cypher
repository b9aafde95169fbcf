// One page of the tenant's memories that come from one source.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND (m.sourceRef = $source OR m.sourceDigest = $source)
RETURN m.ref AS ref, m.id AS id ORDER BY m.ref LIMIT $limit
