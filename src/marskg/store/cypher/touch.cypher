// Access statistics of what was shown, with the record of the showing.
$CLAIM$
SET t += $set
CREATE (a:AuditRecord) SET a = $record
WITH a
UNWIND CASE WHEN size($rows) = 0 THEN [null] ELSE $rows END AS row
OPTIONAL MATCH (m:Memory {ref: row.ref})
SET m += row.set
RETURN count(m) AS touched
