// Nodes of one kind, without a record: a snapshot brings its own.
UNWIND $rows AS row
CREATE (m:Memory:$KIND$ $MEMORY(row)$)
