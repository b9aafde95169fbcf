// The nodes of one keyed slot, oldest first.
MATCH (m:Memory) WHERE m.slotKey = $slot
RETURN m.id AS id, m.sequence AS sequence, m.validFrom AS validFrom, m.validTo AS validTo, m.supersededAt AS supersededAt,
       m.tier AS tier, m.content AS content, m.cardinality AS cardinality
ORDER BY sequence
