// What a restore must not lose while the tenant has no row. It has no label of its own, because that would take a
// migration of every store for a node that is there as long as one restore.
MERGE (v:StoreVersion {ref: $ref}) SET v.account = $account
