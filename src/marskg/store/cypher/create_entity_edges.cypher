UNWIND $rows AS row
MATCH (s:Entity {ref: row.source})
MATCH (t:Entity {ref: row.target})
CREATE (s)-[e:$EDGE$]->(t) SET e = row.properties
RETURN count(*) AS created
