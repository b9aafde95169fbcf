MERGE (v:StoreVersion {ref: 'store'}) SET v.version = $version
