// The episodes of one session that have content, in the order of the narrative.
MATCH (m:Memory) WHERE m.sessionKey = $session
RETURN m.id AS id, m.kind AS kind, m.tier AS tier, m.validFrom AS validFrom, m.sequence AS sequence
