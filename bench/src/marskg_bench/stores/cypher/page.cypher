// Whole nodes of one tenant in the order of their references.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high
RETURN properties(m) AS node ORDER BY m.ref LIMIT $limit
