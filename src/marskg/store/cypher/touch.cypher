// Access statistics of what was shown, with the record of the showing. The record stands in the result, so that there is
// no row where the claim failed: a count alone has one row even then, and the showing would be lost without a word.
$CLAIM$
SET t += $set
CREATE (a:AuditRecord $record)
WITH a
UNWIND CASE WHEN size($rows) = 0 THEN [null] ELSE $rows END AS row
OPTIONAL MATCH (m:Memory {ref: row.ref})
SET m += row.set
RETURN a.ref AS record, count(m) AS touched
