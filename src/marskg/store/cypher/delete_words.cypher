UNWIND $refs AS ref
MATCH (w:EntityWord {ref: ref})
DELETE w
