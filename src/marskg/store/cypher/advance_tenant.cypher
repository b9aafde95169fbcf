// Moves the tenant's row on.
$CLAIM$
SET t += $set
RETURN t.sequence AS sequence
