// Memories that may be evicted, the longest unread first (MaRS section 3.3.1).
// The range alone beside the label keeps the read inside the index, in its order (no other filter, no WITH).
MATCH (m:Memory) WHERE m.lruKey >= $low AND m.lruKey < $high
RETURN m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.evictionRank AS evictionRank,
       [(m)-[:dependsOn]->(b:Memory) | b.id] AS bases, m.lruKey AS key
ORDER BY m.lruKey LIMIT $limit
