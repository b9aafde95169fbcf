// What the members of clusters say.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.kind AS kind, m.content AS content, m.validFrom AS validFrom, m.sequence AS sequence,
       m.weight AS weight, m.sensitivity AS sensitivity, m.sensitivityReasons AS reasons, m.expiresAt AS expiresAt, m.summaryLines AS lines
