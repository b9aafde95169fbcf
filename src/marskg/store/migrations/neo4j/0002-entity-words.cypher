// Words with which the names of entities begin, by which whoever a text may name is found.
CREATE CONSTRAINT entityWordRef IF NOT EXISTS FOR (n:EntityWord) REQUIRE n.ref IS UNIQUE;
CREATE INDEX entityWordKey IF NOT EXISTS FOR (n:EntityWord) ON (n.wordKey);
