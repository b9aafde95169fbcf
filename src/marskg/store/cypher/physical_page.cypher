// The store's own bookkeeping of one page of nodes, for a full check; the narrative chain is part of it.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN ref AS ref, m.id AS id, m.tier AS tier, m.weight AS weight, m.guards AS guards, m.blockers AS blockers,
       m.fifoKey AS fifoKey, m.lruKey AS lruKey, m.decayKey AS decayKey, m.randomKey AS randomKey,
       m.guarding AS guarding, [(m)-[n:temporalNext]->(t:Memory) | [t.id, n.created]] AS following
