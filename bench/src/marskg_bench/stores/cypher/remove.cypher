// Everything of one tenant, some thousand at a time: a server is left as it was found.
MATCH (n) WHERE n.tenant = $tenant OR (n:Tenant AND n.ref = $tenant)
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
