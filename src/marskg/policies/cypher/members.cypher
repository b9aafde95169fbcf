// Named memories, with what says whether they may go: a key if they may go now, and else why not.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.evictionRank AS evictionRank,
       [(m)-[:dependsOn]->(b:Memory) | b.id] AS bases,
       m.fifoKey AS key, m.guards AS guards, m.blockers AS blockers, m.tier AS tier,
       m.pinned AS pinned, m.status AS status
