// The snapshots that were written of a tenant, and where: an erasure can remove them.
CREATE CONSTRAINT snapshotRef IF NOT EXISTS FOR (n:Snapshot) REQUIRE n.ref IS UNIQUE;
