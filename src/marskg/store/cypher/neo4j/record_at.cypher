// As for the other engine, but waits for the transaction whose outcome is asked for: it holds the tenant until it ended.
// The name of its log never changes, so writing it anew takes the lock and changes nothing.
MATCH (t:Tenant {ref: $tenant})
SET t.log = t.log
WITH t
MATCH (a:AuditRecord {ref: $ref}) RETURN a.leaf AS leaf
