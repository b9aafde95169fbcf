CREATE VECTOR INDEX vectorPoint$DIMENSION$ IF NOT EXISTS FOR (n:VectorPoint) ON (n.vector$DIMENSION$) OPTIONS {indexConfig: {`vector.dimensions`: $DIMENSION$, `vector.similarity_function`: 'cosine'}};
CALL db.awaitIndexes(1800);
