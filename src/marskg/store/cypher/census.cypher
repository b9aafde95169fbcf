// The live memories by kind: how many, what they weigh, and the seconds since 1970 of their creation added up.
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.tier = 'live'
RETURN m.kind AS kind, count(*) AS count, sum(m.weight) AS weight, sum(m.created / 1000) AS created
