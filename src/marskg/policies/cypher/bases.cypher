// What memories directly depend on: a base may go once nothing with content depends on it any more.
UNWIND $refs AS ref
MATCH (d:Memory {ref: ref})-[:dependsOn]->(m:Memory)
RETURN d.id AS dependent, m.guards AS guards, m.blockers AS blockers, m.tier AS tier,
       m.id AS id, m.kind AS kind, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.supersededAt AS supersededAt,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount
