"""Doors to a store for other programs: HTTP, and the Model Context Protocol. Needs the extra ``marskg[server]``."""
