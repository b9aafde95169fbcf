// Without a reference it is somebody else's node, in a database that others use as well.
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.ref IS NOT NULL
RETURN m.tier AS tier, m.kind AS kind, count(*) AS count, sum(m.weight) AS weight
