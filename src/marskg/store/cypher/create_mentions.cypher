UNWIND $rows AS row
MATCH (s:Memory {ref: row.source})
MATCH (t:Entity {ref: row.target})
CREATE (s)-[:mentions {created: row.properties.created, weight: row.properties.weight}]->(t)
RETURN count(*) AS created
