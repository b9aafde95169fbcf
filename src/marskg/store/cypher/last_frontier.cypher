// The newest signed head, with what is needed to go on from it.
MATCH (h:TreeHead) WHERE h.ref >= $low AND h.ref < $high
RETURN h.size AS size, h.frontier AS frontier ORDER BY h.ref DESC LIMIT 1
