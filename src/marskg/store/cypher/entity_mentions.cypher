// The memories that mention an entity.
MATCH (m:Memory)-[e:mentions]->(n:Entity {ref: $ref})
RETURN m.id AS id ORDER BY id
