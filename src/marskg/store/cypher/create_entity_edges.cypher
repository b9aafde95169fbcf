UNWIND $rows AS row
MATCH (s:Entity {ref: row.source})
MATCH (t:Entity {ref: row.target})
CREATE (s)-[:$EDGE$ {created: row.properties.created, weight: row.properties.weight}]->(t)
RETURN count(*) AS created
