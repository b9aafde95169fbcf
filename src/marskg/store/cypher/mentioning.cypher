// The memories that mention one of these entities.
UNWIND $refs AS ref
MATCH (n:Entity {ref: ref})<-[:mentions]-(m:Memory)
RETURN DISTINCT m.id AS id
