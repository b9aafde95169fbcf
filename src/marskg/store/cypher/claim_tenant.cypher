// Serialises the writers of one tenant: no row comes back where another writer moved a sequence first, or a restore set
// it back.
MATCH (t:Tenant {ref: $tenant})
WHERE t.sequence = $expected AND t.accessSequence = $accessed AND coalesce(t.restores, 0) = $restores
