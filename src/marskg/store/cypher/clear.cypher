// Removes some of a tenant's nodes of one label, with the edges to and from them.
MATCH (n:$LABEL$) WHERE n.ref >= $low AND n.ref < $high
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS removed
