// One page of a tenant's memories with content: the texts, what they weigh, and what protects them, by their references.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND m.content IS NOT NULL
RETURN m.ref AS ref, m.id AS id, m.content AS content, m.weight AS weight, m.tier AS tier, m.guards AS guards,
       m.kind AS kind, m.pinned AS pinned, m.status AS status, m.subjects AS subjects, m.session AS session
ORDER BY m.ref LIMIT $limit
