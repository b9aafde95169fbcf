// Live memories outside the protected set that something with content depends on: the last resort of every policy.
// This reads the whole tenant, and runs only where an operation would be refused without it.
// The negations keep the read inside the index of ref: an equality beside the range would scan all tenants.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND NOT m.tier <> 'live' AND m.guards < 1 AND m.blockers > 0
RETURN m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.evictionRank AS evictionRank,
       [(m)-[:dependsOn]->(b:Memory) | b.id] AS bases
