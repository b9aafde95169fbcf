CREATE (t:Tenant) SET t = $tenant
