CALL db.info() YIELD name RETURN name
