SHOW INDEXES YIELD name, labelsOrTypes, properties, owningConstraint
RETURN name, labelsOrTypes AS labels, properties, owningConstraint IS NOT NULL AS constrains
