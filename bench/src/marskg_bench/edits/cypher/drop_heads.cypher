// The signed heads over more records than there are.
MATCH (h:TreeHead) WHERE h.tenant = $tenant AND h.size > $last DELETE h
