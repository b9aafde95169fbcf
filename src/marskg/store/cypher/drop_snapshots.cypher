// They are no more.
UNWIND $refs AS ref
MATCH (s:Snapshot {ref: ref})
DELETE s
