// How many memories of each tier and kind there are and what they weigh, how many of them have content and no vector of the
// tenant's model, whose tag is the prefix, and how many wait to be read for what they say: in one pass over all of them.
// Without a reference it is somebody else's node, in a database that others use as well.
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.ref IS NOT NULL
RETURN m.tier AS tier, m.kind AS kind, count(*) AS count, sum(m.weight) AS weight,
       sum(CASE WHEN m.content IS NOT NULL AND (m.embedding IS NULL OR NOT m.embedding STARTS WITH $prefix) THEN 1 ELSE 0 END)
       AS lacking,
       sum(CASE WHEN m.unread = true AND m.tier = 'live' AND m.supersededAt IS NULL THEN 1 ELSE 0 END) AS unread
