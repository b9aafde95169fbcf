SHOW INDEXES YIELD name, labelsOrTypes, owningConstraint
RETURN name, labelsOrTypes AS labels, owningConstraint IS NOT NULL AS constrains
