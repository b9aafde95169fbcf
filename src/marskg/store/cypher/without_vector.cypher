// One page of the memories that have content and no vector of the tenant's model, whose tag is the prefix.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND m.content IS NOT NULL
  AND (m.embedding IS NULL OR NOT m.embedding STARTS WITH $prefix)
RETURN m.ref AS ref ORDER BY m.ref LIMIT $limit
