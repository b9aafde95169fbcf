// One page of the tenant's memories in any tier with whether they are about one subject: by name, or by handle.
MATCH (m:Memory) WHERE m.ref >= $low AND m.ref < $high
WITH m ORDER BY m.ref LIMIT $limit
RETURN m.ref AS ref, m.id AS id,
       ($subject IN coalesce(m.subjects, []) OR $handle IN coalesce(m.subjectHandles, [])) AS found
