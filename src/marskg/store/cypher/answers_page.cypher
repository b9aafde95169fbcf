// One page of a tenant's memories with what models answered about them, by their references.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND m.answer IS NOT NULL
RETURN m.ref AS ref, m.id AS id, m.answer AS answer ORDER BY m.ref LIMIT $limit
