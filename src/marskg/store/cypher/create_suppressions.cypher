// Digests of what must not come in again; one that is there already stays.
UNWIND $rows AS ref
MERGE (s:Suppression {ref: ref})
