// What other memories were derived from goes last: forget conclusions before evidence, and the oldest before the newest.
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.tier = 'live'
OPTIONAL MATCH (m)<-[:derivesFrom]-(conclusion:Memory)
WITH m, count(conclusion) AS conclusions
RETURN m.id AS id, conclusions * 1000000.0 - ($now - m.created) / 86400000.0 AS score, conclusions AS conclusions
