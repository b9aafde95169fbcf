// From this version on a tenant's row is signed (marskg.store.commit.signed_state); the schema stays as it is.
