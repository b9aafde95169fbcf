// Memories that may be evicted, in the Morton order of what decays and what does not (store/order.py).
// The range alone beside the label keeps the read inside the index, in its order (no other filter, no WITH).
MATCH (m:Memory) WHERE m.decayKey >= $low AND m.decayKey < $high
RETURN m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.decayKey AS key
ORDER BY m.decayKey LIMIT $limit
