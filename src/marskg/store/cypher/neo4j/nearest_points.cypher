CALL db.index.vector.queryNodes('vectorPoint$DIMENSION$', $count, $vector) YIELD node, score
RETURN node.ref AS ref
