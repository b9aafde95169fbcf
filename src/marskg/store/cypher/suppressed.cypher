// Which of these digests are of something that was erased.
UNWIND $refs AS ref
MATCH (s:Suppression {ref: ref})
RETURN s.ref AS ref
