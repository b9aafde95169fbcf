// Nodes of one kind without records, for stores that nobody keeps (policies/sample_stores.py).
UNWIND $rows AS row
CREATE (m:Memory:$KIND$) SET m = row
