// Removes nodes of one label, with the edges to and from them.
UNWIND $refs AS ref
MATCH (n:$LABEL$ {ref: ref})
DETACH DELETE n
