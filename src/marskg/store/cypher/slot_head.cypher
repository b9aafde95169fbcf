// One node of a keyed slot: enough to know the slot's cardinality.
MATCH (m:Memory) WHERE m.slotKey = $slot
RETURN m.id AS id LIMIT 1
