MERGE (k:AuditKey {ref: $key.ref}) SET k = $key
