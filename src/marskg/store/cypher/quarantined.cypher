// What waits in the latent tier for the end of its time there, the first to end first.
MATCH (m:Memory) WHERE m.dueKey >= $low AND m.dueKey < $high AND m.tier = 'latent' AND m.graceUntil IS NOT NULL
RETURN m.id AS id, m.graceUntil AS until, m.weight AS weight, m.sensitivity AS sensitivity
ORDER BY m.graceUntil, m.id
