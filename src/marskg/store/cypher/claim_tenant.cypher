// Serialises the writers of one tenant: no row comes back where another writer moved a sequence first.
MATCH (t:Tenant {ref: $tenant}) WHERE t.sequence = $expected AND t.accessSequence = $accessed
