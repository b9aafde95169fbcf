UNWIND $refs AS ref
MATCH (p:Preference {ref: ref})
RETURN properties(p) AS node
