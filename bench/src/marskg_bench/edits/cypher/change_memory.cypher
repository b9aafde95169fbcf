MATCH (m:Memory {ref: $ref}) SET m = $node
