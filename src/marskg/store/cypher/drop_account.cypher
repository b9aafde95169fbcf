// The tenant's row has the account again.
MATCH (v:StoreVersion {ref: $ref}) DELETE v
