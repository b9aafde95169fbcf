// What nodes say, by the numbers of their places.
MATCH (n) WHERE id(n) >= $low AND id(n) < $high
RETURN properties(n) AS node
