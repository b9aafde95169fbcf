// One page of a tenant's live memories with the conversations that they come from; by their references.
// The negation keeps the read inside the index of ref: an equality beside the range would scan all tenants.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND NOT m.tier <> 'live'
RETURN m.ref AS ref, m.id AS id, m.session AS session
ORDER BY m.ref LIMIT $limit
