// The store's own bookkeeping of one page of nodes, for a full check.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.tier AS tier, m.weight AS weight, m.guards AS guards, m.blockers AS blockers,
       m.fifoKey AS fifoKey, m.lruKey AS lruKey, m.decayKey AS decayKey, m.randomKey AS randomKey
