// How many memories mention each of these entities.
UNWIND $refs AS ref
MATCH (n:Entity {ref: ref})
OPTIONAL MATCH (n)<-[e:mentions]-(:Memory)
RETURN ref AS ref, count(e) AS uses
