// One page of the tenant's memories with whether they come from one source.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high
WITH m ORDER BY m.ref LIMIT $limit
RETURN m.ref AS ref, m.id AS id, (m.sourceRef = $source) AS found
