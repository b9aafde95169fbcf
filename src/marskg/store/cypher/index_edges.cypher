// Where the edges of memories lead that relate meaning or people, make one unreadable without another, or tell what a
// memory rests on and took the place of.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})-[e:mentions|isA|partOf|worksAt|friendOf|colleagueOf|reportsTo|requires|dependsOn|attachesToGoal|contradicts|derivesFrom|supersedes]->(t)
RETURN m.id AS source, type(e) AS type, t.id AS target
