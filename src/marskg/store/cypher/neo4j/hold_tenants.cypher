// Every writer claims its tenant first: whoever has written to all of them keeps the others out until it ends.
MATCH (t:Tenant) SET t.log = t.log
RETURN count(t) AS held
