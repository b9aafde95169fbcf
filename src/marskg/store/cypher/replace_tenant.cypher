// Puts another row in the place of a tenant's, where it is still the one that was read.
$CLAIM$
SET t = $row
RETURN t.sequence AS sequence
