// What the memories that mention these entities call them; the reference is the memory's, under which it is encrypted.
UNWIND $refs AS entity
MATCH (n:Entity {ref: entity})<-[:mentions]-(m:Memory)
RETURN entity AS entity, m.ref AS ref, m.id AS id, m.sequence AS sequence, m.namesGiven AS namesGiven
