UNWIND $rows AS row
MATCH (s:Entity {ref: row.source})-[e:$EDGE$]->(t:Entity {ref: row.target})
DELETE e
