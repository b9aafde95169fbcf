UNWIND $rows AS row
CREATE (m:Memory:$KIND$) SET m = row
