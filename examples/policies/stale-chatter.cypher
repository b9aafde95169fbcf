// Episodes first, the longer unread and the heavier the sooner; everything else by its last access.
// Lowest score goes first. The store takes only what nothing depends on, and nothing protected.
MATCH (m:Memory) WHERE m.fifoKey >= $low AND m.fifoKey < $high
WITH m, ($now - m.lastAccess) / 86400000.0 AS idle_days,
     CASE WHEN m.kind = 'episodic' THEN $episode_boost ELSE 1.0 END AS boost
RETURN m.id AS id, 0.0 - idle_days * boost * m.weight AS score, boost AS boost,
       CASE WHEN m.kind = 'episodic' THEN 'chatter' ELSE 'idle' END AS reason
ORDER BY score LIMIT $limit
