// The tasks that guard what they require.
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.guarding = true
RETURN m.id AS id
