// As for the other engine, but locked first: Neo4j locks a node when it writes to it, and what was compared before that
// may be old by then, so that a write which waited for an access record would set the access log back.
// The name of its log never changes, so writing it anew takes the lock and changes nothing.
MATCH (t:Tenant {ref: $tenant})
SET t.log = t.log
WITH t WHERE t.sequence = $expected AND t.accessSequence = $accessed AND coalesce(t.restores, 0) = $restores
