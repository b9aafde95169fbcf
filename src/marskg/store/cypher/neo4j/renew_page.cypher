// Writes what nodes of ours say into other records: one that is in use may hold, behind its own text, the rest of an
// older one. Every writer claims its tenant first, so that nothing is read here that somebody changes meanwhile.
MATCH (t:Tenant) SET t.log = t.log
WITH count(t) AS held
MATCH (n) WHERE id(n) >= $low AND id(n) < $high
  AND (n:Memory OR n:Entity OR n:EntityWord OR n:Preference OR n:AuditRecord OR n:TreeHead OR n:AuditTile)
WITH n, properties(n) AS node
SET n = {}
SET n = node
RETURN count(n) AS renewed
