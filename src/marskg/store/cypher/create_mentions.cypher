UNWIND $rows AS row
MATCH (s:Memory {ref: row.source})
MATCH (t:Entity {ref: row.target})
CREATE (s)-[e:mentions]->(t) SET e = row.properties
RETURN count(*) AS created
