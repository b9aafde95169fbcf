MATCH (m:Memory {ref: $ref}) DETACH DELETE m
