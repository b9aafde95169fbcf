SHOW DATABASES YIELD name, address, store RETURN name, address, store
