// The turns of a tenant that wait to be read for what they say; what was set aside waits for its return first.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high AND m.unread = true AND m.tier = 'live' AND m.supersededAt IS NULL
RETURN m.id AS id, m.validFrom AS at, m.sequence AS sequence, m.created AS created ORDER BY at, sequence
