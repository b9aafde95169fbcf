// What protects the weight that a policy may not touch, heaviest first, of equals the older one (semantics section 4).
MATCH (m:Memory) WHERE m.tenant = $tenant AND m.guards > 0 AND m.tier = 'live'
RETURN m.id AS id, m.kind AS kind, m.weight AS weight, m.pinned AS pinned, m.status AS status
ORDER BY weight DESC, m.sequence LIMIT $limit
