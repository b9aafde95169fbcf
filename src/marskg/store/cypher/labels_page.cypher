// One page of a tenant's nodes of one label with all their labels, which say what the node is.
MATCH (n:$LABEL$) WHERE n.ref >= $low AND n.ref < $high
RETURN n.ref AS ref, n.id AS id, n.kind AS kind, labels(n) AS labels ORDER BY n.ref LIMIT $limit
