// What a restore that was interrupted left behind.
MATCH (v:StoreVersion {ref: $ref}) RETURN v.account AS account
