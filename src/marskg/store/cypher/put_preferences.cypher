// Writes preferences whole: what one no longer says leaves its node.
UNWIND $rows AS row
MERGE (p:Preference {ref: row.ref})
SET p = row
RETURN count(*) AS written
