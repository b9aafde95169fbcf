-- The snapshots that were written of a tenant, and where: an erasure can remove them.
CREATE VERTEX TYPE Snapshot IF NOT EXISTS;
CREATE PROPERTY Snapshot.ref IF NOT EXISTS STRING;
CREATE INDEX IF NOT EXISTS ON Snapshot (ref) UNIQUE;
