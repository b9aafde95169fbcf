// What expires, ends its grace or passes its deadline up to a moment, in order.
MATCH (m:Memory) WHERE m.dueKey >= $low AND m.dueKey < $high
RETURN m.id AS id, m.dueKey AS key, m.memoryClass AS class ORDER BY m.dueKey LIMIT $limit
