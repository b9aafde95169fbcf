UNWIND $refs AS ref
MATCH (s:Suppression {ref: ref})
DELETE s
