// Whole nodes without their edges: what is shown, and what showing it changes.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN properties(m) AS node
