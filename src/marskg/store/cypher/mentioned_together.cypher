// How many memories mention both of two entities, counted from the one that fewer mention.
UNWIND $rows AS row
MATCH (n:Entity {ref: row.fewer})<-[:mentions]-(m:Memory)-[:mentions]->(o:Entity)
WHERE o.ref = row.other
RETURN row.fewer AS fewer, row.other AS other, count(m) AS uses
