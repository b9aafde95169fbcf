MATCH (t:Tenant) RETURN t.ref AS tenant ORDER BY tenant
