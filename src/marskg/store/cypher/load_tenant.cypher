MATCH (t:Tenant {ref: $tenant}) RETURN properties(t) AS tenant
