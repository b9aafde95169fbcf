// Use-bound memories that were shown and are still there.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND m.useBound AND m.accessCount > 0 AND NOT m.tier = 'tombstone'
RETURN m.id AS id ORDER BY m.ref
