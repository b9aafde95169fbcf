// One page of what the tenant has about one subject, in any tier: by name, or by handle.
MATCH (m:Memory)
WHERE m.ref >= $low AND m.ref < $high AND ($subject IN m.subjects OR $handle IN m.subjectHandles)
RETURN m.ref AS ref, m.id AS id ORDER BY m.ref LIMIT $limit
