UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
DETACH DELETE m
