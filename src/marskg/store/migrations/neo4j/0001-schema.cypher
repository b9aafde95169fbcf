// Constraints and indexes of version 1. Order keys are on the evictable nodes only; null is never indexed.
CREATE CONSTRAINT memoryRef IF NOT EXISTS FOR (n:Memory) REQUIRE n.ref IS UNIQUE;
CREATE INDEX memorySession IF NOT EXISTS FOR (n:Memory) ON (n.sessionKey);
CREATE INDEX memorySlot IF NOT EXISTS FOR (n:Memory) ON (n.slotKey);
CREATE INDEX memoryFifo IF NOT EXISTS FOR (n:Memory) ON (n.fifoKey);
CREATE INDEX memoryLru IF NOT EXISTS FOR (n:Memory) ON (n.lruKey);
CREATE INDEX memoryDecay IF NOT EXISTS FOR (n:Memory) ON (n.decayKey);
CREATE INDEX memoryRandom IF NOT EXISTS FOR (n:Memory) ON (n.randomKey);
CREATE INDEX memoryDue IF NOT EXISTS FOR (n:Memory) ON (n.dueKey);
CREATE CONSTRAINT entityRef IF NOT EXISTS FOR (n:Entity) REQUIRE n.ref IS UNIQUE;
CREATE INDEX entityName IF NOT EXISTS FOR (n:Entity) ON (n.nameKey);
CREATE CONSTRAINT tenantRef IF NOT EXISTS FOR (n:Tenant) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT auditRecordRef IF NOT EXISTS FOR (n:AuditRecord) REQUIRE n.ref IS UNIQUE;
CREATE INDEX auditRecordMemory IF NOT EXISTS FOR (n:AuditRecord) ON (n.memory);
CREATE CONSTRAINT treeHeadRef IF NOT EXISTS FOR (n:TreeHead) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT auditTileRef IF NOT EXISTS FOR (n:AuditTile) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT auditKeyRef IF NOT EXISTS FOR (n:AuditKey) REQUIRE n.ref IS UNIQUE;
CREATE CONSTRAINT storeVersionRef IF NOT EXISTS FOR (n:StoreVersion) REQUIRE n.ref IS UNIQUE;
