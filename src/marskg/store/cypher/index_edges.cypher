// Where the edges of memories lead that relate meaning or people, or make one unreadable without another.
UNWIND $refs AS ref
MATCH (m:Memory {ref: ref})-[e:mentions|isA|partOf|worksAt|friendOf|colleagueOf|reportsTo|requires|dependsOn|attachesToGoal|contradicts]->(t)
RETURN m.id AS source, type(e) AS type, t.id AS target
