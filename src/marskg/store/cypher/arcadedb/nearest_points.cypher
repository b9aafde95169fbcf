CALL db.index.vector.queryNodes('VectorPoint[vector$DIMENSION$]', $count, $vector) YIELD node, score
RETURN node.ref AS ref
