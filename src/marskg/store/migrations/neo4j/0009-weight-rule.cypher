// From this version on a tenant's row says by which rule it is weighed; the schema stays as it is.
