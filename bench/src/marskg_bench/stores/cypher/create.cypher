CREATE (m:Memory:$KIND$) SET m = $node
