MATCH (k:AuditKey) WHERE k.tenant = $tenant RETURN properties(k) AS key ORDER BY k.announcedAt, k.ref
