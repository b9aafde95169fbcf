// As for the other engine, but locked first: Neo4j locks a node when it writes to it, and what was compared before that
// may be old by then, so that a write which waited for an access record would set the access log back.
MATCH (t:Tenant {ref: $tenant})
SET t.claimed = true
WITH t WHERE t.sequence = $expected AND t.accessSequence = $accessed
