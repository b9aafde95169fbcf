// All are found before the first goes: the embedded engine loses its place in a node whose edges go as it reads them.
UNWIND $rows AS row
MATCH (s:Memory {ref: row.source})-[e:$EDGE$]->(t {ref: row.target})
WITH collect(e) AS edges
UNWIND edges AS e
DELETE e
