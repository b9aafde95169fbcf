// Promises that the snapshots of a tenant are to be removed: in the transaction of the erasure that asks for it.
MATCH (s:Snapshot) WHERE s.ref >= $low AND s.ref < $high
SET s.doomed = true
