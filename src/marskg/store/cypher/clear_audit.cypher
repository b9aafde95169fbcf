MATCH (n) WHERE (n:AuditRecord OR n:TreeHead OR n:AuditTile OR n:AuditKey) AND n.tenant = $tenant
WITH n LIMIT $limit
DELETE n
RETURN count(*) AS removed
