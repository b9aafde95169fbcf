SHOW SETTINGS YIELD name, value WHERE name IN $names RETURN name, value
