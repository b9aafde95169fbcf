// Names of a page of entities, whatever their tenant, to fill what finds them.
MATCH (n:Entity) WHERE n.ref > $after
RETURN n.ref AS ref, properties(n) AS node ORDER BY ref LIMIT $limit
