-- Words with which the names of entities begin, by which whoever a text may name is found.
CREATE VERTEX TYPE EntityWord IF NOT EXISTS;
CREATE PROPERTY EntityWord.ref IF NOT EXISTS STRING;
CREATE PROPERTY EntityWord.wordKey IF NOT EXISTS STRING;
CREATE INDEX IF NOT EXISTS ON EntityWord (ref) UNIQUE;
CREATE INDEX IF NOT EXISTS ON EntityWord (wordKey) NOTUNIQUE NULL_STRATEGY SKIP;
