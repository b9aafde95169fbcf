// The nodes of one keyed slot.
MATCH (m:Memory) WHERE m.slotKey = $slot
RETURN m.id AS id
