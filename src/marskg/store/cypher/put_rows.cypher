// Writes nodes of one label whole: what a row does not say leaves its node.
UNWIND $rows AS row
MERGE (n:$LABEL$ {ref: row.ref})
SET n = row
