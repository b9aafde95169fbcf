// The memories of one session that have content, whatever their kind.
MATCH (m:Memory) WHERE m.sessionKey = $session
RETURN m.id AS id, m.tier AS tier
