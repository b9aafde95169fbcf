UNWIND $rows AS row
MERGE (t:AuditTile {ref: row.ref}) SET t = row
