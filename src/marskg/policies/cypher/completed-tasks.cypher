// Which evictable memories served which completed task: its scaffolding (MaRS section 3.2.4).
// What serves another task as well comes once for each, so that the reader can tell.
UNWIND $refs AS ref
MATCH (t:Memory {ref: ref})
MATCH (m:Memory)-[:attachesToGoal]->(t)
RETURN t.id AS task, m.id AS id, [(m)-[:attachesToGoal]->(g:Memory) | g.id] AS goals
