UNWIND $rows AS row
MATCH (s:Memory {ref: row.source})
MATCH (t:Memory {ref: row.target})
CREATE (s)-[e:$EDGE$]->(t) SET e = row.properties
RETURN count(*) AS created
