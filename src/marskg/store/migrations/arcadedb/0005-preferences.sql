-- What people and jurisdictions ask for: retention, opt-outs, consents and the like, each a node of its own.
CREATE VERTEX TYPE Preference IF NOT EXISTS;
CREATE PROPERTY Preference.ref IF NOT EXISTS STRING;
CREATE INDEX IF NOT EXISTS ON Preference (ref) UNIQUE;
