// As delete_edges: all are found before the first goes.
UNWIND $rows AS row
MATCH (s:Entity {ref: row.source})-[e:$EDGE$]->(t:Entity {ref: row.target})
WITH collect(e) AS edges
UNWIND edges AS e
DELETE e
