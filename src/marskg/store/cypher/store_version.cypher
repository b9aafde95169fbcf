// The version that the store's migrations have reached.
MATCH (v:StoreVersion {ref: 'store'}) RETURN v.version AS version
