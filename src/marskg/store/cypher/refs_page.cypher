// One page of the references of a tenant's nodes of one label.
MATCH (n:$LABEL$) WHERE n.ref >= $low AND n.ref < $high
RETURN n.ref AS ref ORDER BY n.ref LIMIT $limit
