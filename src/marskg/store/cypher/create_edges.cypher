UNWIND $rows AS row
MATCH (s:Memory {ref: row.source})
MATCH (t:Memory {ref: row.target})
CREATE (s)-[:$EDGE$ {created: row.properties.created, weight: row.properties.weight}]->(t)
RETURN count(*) AS created
