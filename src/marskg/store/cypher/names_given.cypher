// What the memories that mention these entities call them.
UNWIND $refs AS ref
MATCH (n:Entity {ref: ref})<-[:mentions]-(m:Memory)
RETURN ref AS ref, m.id AS id, m.sequence AS sequence, m.namesGiven AS namesGiven
