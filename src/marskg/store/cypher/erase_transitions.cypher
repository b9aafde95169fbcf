// Empties the slots of records about one node alone: its own, and the record's.
UNWIND $rows AS ref
MATCH (a:AuditRecord {ref: ref})
SET a.details = ['', ''], a.salts = ['', ''], a.memories = [''], a.memory = null
RETURN count(a) AS changed
