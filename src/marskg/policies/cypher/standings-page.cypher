// One page of a tenant's live memories with what says whose word they are, in the order of their references.
// The negation keeps the read inside the index of ref: an equality beside the range would scan all tenants.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND NOT m.tier <> 'live'
RETURN m.ref AS ref, m.id AS id, m.weight AS weight, m.sourceType AS source, m.reliability AS reliability
ORDER BY m.ref LIMIT $limit
