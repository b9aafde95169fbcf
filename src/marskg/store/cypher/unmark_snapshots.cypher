// What is at their places now is not what was written, and is left.
UNWIND $refs AS ref
MATCH (s:Snapshot {ref: ref})
SET s.doomed = false
