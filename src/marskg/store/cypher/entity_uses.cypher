// How many memories mention each of these entities, and to how many others it is related.
UNWIND $refs AS ref
MATCH (n:Entity {ref: ref})
OPTIONAL MATCH (n)<-[e:mentions]-(:Memory)
WITH ref, n, count(e) AS uses
OPTIONAL MATCH (n)-[r]->(:Entity)
RETURN ref AS ref, uses AS uses, count(r) AS relations
