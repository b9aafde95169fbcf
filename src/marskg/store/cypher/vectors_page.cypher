// One page of the memories that have content, with their vectors: of whose model they are cannot be told in envelopes.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND m.content IS NOT NULL
RETURN m.ref AS ref, m.embedding AS embedding ORDER BY m.ref LIMIT $limit
