// What an access changes, and the order keys that it moves.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.kind AS kind, m.tier AS tier, m.weight AS weight, m.created AS created, m.sequence AS sequence,
       m.lastAccess AS lastAccess, m.accessCount AS accessCount, m.score AS score, m.useBound AS useBound, m.fifoKey AS fifoKey,
       m.eligibleAccess AS eligibleAccess, m.eligibleCount AS eligibleCount, m.randomKey AS randomKey
