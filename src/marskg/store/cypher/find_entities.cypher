UNWIND $keys AS key
MATCH (n:Entity {nameKey: key})
RETURN key AS key, n.id AS id
