MATCH (t:Tenant {ref: $tenant}) DELETE t
