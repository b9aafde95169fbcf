MATCH (h:TreeHead) WHERE h.ref >= $low AND h.ref < $high
RETURN properties(h) AS head ORDER BY h.ref
