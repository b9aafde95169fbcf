// What the engine's vector index holds of memories that lose their content.
UNWIND $refs AS ref
MATCH (p:VectorPoint {ref: ref})
DETACH DELETE p
