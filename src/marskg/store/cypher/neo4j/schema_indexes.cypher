SHOW INDEXES YIELD name, state, labelsOrTypes, properties, owningConstraint
RETURN name, state, labelsOrTypes AS labels, properties, owningConstraint IS NOT NULL AS constrains
