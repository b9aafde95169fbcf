// Memories that may be evicted, along the curve of what decays and what does not (store/rows/order_keys.py): only their places,
// as a search looks at more of them than it takes.
// The range alone beside the label keeps the read inside the index, in its order (no other filter, no WITH).
MATCH (m:Memory) WHERE m.decayKey >= $low AND m.decayKey < $high
RETURN m.id AS id, m.decayKey AS key
ORDER BY m.decayKey LIMIT $limit
