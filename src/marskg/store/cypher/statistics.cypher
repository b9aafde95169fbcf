MATCH (m:Memory) WHERE m.tenant = $tenant
RETURN m.tier AS tier, m.kind AS kind, count(*) AS count, sum(m.weight) AS weight
