// The memories of one session, in the order in which they were remembered.
MATCH (m:Memory) WHERE m.sessionKey = $session
RETURN properties(m) AS node ORDER BY m.sequence
