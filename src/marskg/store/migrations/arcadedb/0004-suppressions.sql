-- What was erased and must not come in again: keyed digests, no names, no texts, no times.
CREATE VERTEX TYPE Suppression IF NOT EXISTS;
CREATE PROPERTY Suppression.ref IF NOT EXISTS STRING;
CREATE INDEX IF NOT EXISTS ON Suppression (ref) UNIQUE;
