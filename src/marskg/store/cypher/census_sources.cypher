// The live memories by source and reliability: what they weigh, and of these what is protected.
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.tier = 'live'
RETURN m.sourceType AS source, m.reliability AS reliability, sum(m.weight) AS weight,
       sum(CASE WHEN m.guards > 0 THEN m.weight ELSE 0 END) AS protected
