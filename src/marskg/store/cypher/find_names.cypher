// The entities of which a name begins with one of these words.
UNWIND $keys AS key
MATCH (w:EntityWord {wordKey: key})
MATCH (n:Entity {ref: w.bearer})
RETURN properties(n) AS node
