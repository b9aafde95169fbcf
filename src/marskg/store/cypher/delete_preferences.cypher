UNWIND $refs AS ref
MATCH (p:Preference {ref: ref})
DETACH DELETE p
