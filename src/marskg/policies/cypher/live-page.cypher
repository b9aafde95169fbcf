// One page of a tenant's live memories with what keeping it lean goes by, in the order of their references.
// The negation keeps the read inside the index of ref: an equality beside the range would scan all tenants.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND NOT m.tier <> 'live'
RETURN m.ref AS ref, m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.evictionRank AS evictionRank,
       [(m)-[:dependsOn]->(b:Memory) | b.id] AS bases,
       m.guards AS guards, m.blockers AS blockers, m.score AS score, m.subjects AS subjects,
       m.memoryClass AS memoryClass, m.status AS status, m.validTo AS validTo,
       m.sourceType AS source, m.reliability AS reliability
ORDER BY m.ref LIMIT $limit
