"""Whom a name means: the spellings that are one, where a name ends, and what may be it."""
