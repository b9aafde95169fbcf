MATCH (n) RETURN max(id(n)) AS number
