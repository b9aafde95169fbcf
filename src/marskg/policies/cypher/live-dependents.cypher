// How many live memories depend on each of these; one with none may be archived, as archiving keeps content.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})<-[:dependsOn]-(d:Memory) WHERE d.tier = 'live'
RETURN m.id AS id, count(d) AS live
