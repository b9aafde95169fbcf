// The number of the last record, as the tenant's row has it.
MATCH (t:Tenant {ref: $tenant}) SET t.sequence = $last
