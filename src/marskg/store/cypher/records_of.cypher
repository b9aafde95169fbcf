// Every record of the transition log that is about one memory.
MATCH (a:AuditRecord) WHERE a.memory = $memory AND a.ref >= $low
RETURN properties(a) AS record ORDER BY a.sequence
