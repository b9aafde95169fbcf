// Nodes of one label as they are stored.
UNWIND $refs AS ref
MATCH (n:$LABEL$ {ref: ref})
RETURN properties(n) AS node
