// Every writer claims its tenant first: whoever has written to the tenant's row keeps the others out until it ends.
MATCH (t:Tenant {ref: $tenant}) SET t.log = t.log
RETURN t.sequence AS sequence
