UNWIND $rows AS row
MATCH (s:Memory {ref: row.source})-[e:$EDGE$]->(t {ref: row.target})
DELETE e
