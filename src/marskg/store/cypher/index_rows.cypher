// What the retrieval index holds of memories, their content to be cut into terms, without bookkeeping and salts.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})
RETURN m.id AS id, m.sequence AS sequence, m.kind AS kind, m.tier AS tier, m.content AS content, m.key AS key,
       m.cardinality AS cardinality, m.created AS created, m.validFrom AS validFrom, m.validTo AS validTo,
       m.supersededAt AS supersededAt, m.unaffirmedSince AS unaffirmedSince, m.expiresAt AS expiresAt,
       m.sensitivity AS sensitivity, m.sensitivityReasons AS sensitivityReasons, m.reliability AS reliability, m.score AS score, m.lastAccess AS lastAccess,
       m.accessCount AS accessCount, m.weight AS weight, m.memoryClass AS memoryClass, m.sourceType AS sourceType,
       m.session AS session, m.subjects AS subjects, m.namesGiven AS namesGiven, m.intentTags AS intentTags, m.metadata AS metadata, m.purpose AS purpose,
       m.jurisdiction AS jurisdiction, m.status AS status, m.deadline AS deadline,
       m.amount AS amount, m.generalityScore AS generalityScore, m.pinned AS pinned, m.evictionRank AS evictionRank, m.spans AS spans, m.embedding AS embedding
