// How many nodes point to each of these entities.
UNWIND $refs AS ref
MATCH (n:Entity {ref: ref})
OPTIONAL MATCH (n)<-[e]-(s)
RETURN ref AS ref, count(e) AS uses
