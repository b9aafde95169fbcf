// Takes freed records into use again, so that what they held is overwritten.
UNWIND range(1, $count) AS number
CREATE (f:Filler) SET f = $node
RETURN count(f) AS made
