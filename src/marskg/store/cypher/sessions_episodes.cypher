// As session_episodes, for several sessions at once.
UNWIND $sessions AS session
MATCH (m:Memory {sessionKey: session})
RETURN session AS session, m.id AS id, m.kind AS kind, m.tier AS tier, m.validFrom AS validFrom, m.sequence AS sequence
