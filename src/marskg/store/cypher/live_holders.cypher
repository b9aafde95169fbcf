// One page of a tenant's live memories with whose budgets they count against, by their references.
// The negation keeps the read inside the index of ref: an equality beside the range would scan all tenants.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND NOT m.tier <> 'live'
RETURN m.ref AS ref, m.id AS id, m.subjects AS subjects, m.session AS session, m.weight AS weight
ORDER BY m.ref LIMIT $limit
