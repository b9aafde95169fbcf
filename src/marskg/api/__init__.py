"""The public operations as one table, and the checks of what callers pass, both made from annotated signatures."""
