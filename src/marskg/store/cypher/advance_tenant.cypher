// Serialises the writers of one tenant: no row comes back where another writer moved the sequence first.
MATCH (t:Tenant {ref: $tenant}) WHERE t.sequence = $expected
SET t += $set
RETURN t.sequence AS sequence
