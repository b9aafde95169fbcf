// A snapshot is about to be put in its place. No transition of any memory: it has no record.
MERGE (s:Snapshot {ref: $row.ref}) SET s = $row
