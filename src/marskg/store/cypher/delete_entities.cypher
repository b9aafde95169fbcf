UNWIND $refs AS ref
MATCH (e:Entity {ref: ref})
DETACH DELETE e
