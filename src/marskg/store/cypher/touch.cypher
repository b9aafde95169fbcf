// Access statistics of what was shown, with the records of the showings. The tenant is carried on to the end, so that
// there is no row where the claim failed: a count alone has one even then, and what follows it would be written.
$CLAIM$
SET t += $set
WITH t
UNWIND $records AS record
CREATE (a:AuditRecord $RECORD(record)$)
WITH t, count(a) AS recorded
UNWIND CASE WHEN size($rows) = 0 THEN [null] ELSE $rows END AS row
OPTIONAL MATCH (m:Memory {ref: row.ref})
SET m += row.set
RETURN recorded, count(m) AS touched
