// One page of a tenant's preferences in the order of their references.
MATCH (p:Preference) WHERE p.ref >= $low AND p.ref < $high
RETURN p.ref AS ref, properties(p) AS node ORDER BY p.ref LIMIT $limit
