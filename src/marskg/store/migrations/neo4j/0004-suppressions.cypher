// What was erased and must not come in again: keyed digests, no names, no texts, no times.
CREATE CONSTRAINT suppressionRef IF NOT EXISTS FOR (n:Suppression) REQUIRE n.ref IS UNIQUE;
