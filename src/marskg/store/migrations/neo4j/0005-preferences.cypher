// What people and jurisdictions ask for: retention, opt-outs, consents and the like, each a node of its own.
CREATE CONSTRAINT preferenceRef IF NOT EXISTS FOR (n:Preference) REQUIRE n.ref IS UNIQUE;
