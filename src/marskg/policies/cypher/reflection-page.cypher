// Memories that may be evicted, the oldest first, with what clustering goes by: no content, but the packed vector.
// The range alone beside the label keeps the read inside the index, in its order (no other filter, no WITH).
MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.fifoKey < $high
RETURN m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.evictionRank AS evictionRank,
       [(m)-[:dependsOn]->(b:Memory) | b.id] AS bases, m.fifoKey AS key,
       m.key AS slot, m.validFrom AS validFrom, m.validTo AS validTo, m.session AS session, m.subjects AS subjects,
       m.purpose AS purpose, m.jurisdiction AS jurisdiction, m.memoryClass AS memoryClass, m.sourceType AS sourceType,
       m.useBound AS useBound, m.sessionBound AS sessionBound, m.unaffirmedSince AS unaffirmedSince,
       m.expiresAt AS expiresAt, m.status AS status, m.embedding AS embedding
ORDER BY m.fifoKey LIMIT $limit
