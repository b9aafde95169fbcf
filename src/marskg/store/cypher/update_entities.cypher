UNWIND $rows AS row
MATCH (e:Entity {ref: row.ref})
SET e += row.set
RETURN count(*) AS updated
