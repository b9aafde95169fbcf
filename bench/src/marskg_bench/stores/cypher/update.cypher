UNWIND $rows AS row
MATCH (m:Memory {ref: row.ref})
SET m += row.set
