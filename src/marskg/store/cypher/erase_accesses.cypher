// Writes back what is left of the slots of records about several nodes.
UNWIND $rows AS row
MATCH (a:AuditRecord {ref: row.ref})
SET a.details = row.details, a.salts = row.salts, a.memories = row.memories, a.memory = null
RETURN count(a) AS changed
