UNWIND $rows AS row
CREATE (w:EntityWord) SET w = row
