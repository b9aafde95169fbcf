CREATE (h:TreeHead) SET h = $head
