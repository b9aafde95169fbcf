"""Shapes that frameworks for agents know, over a tenant's memory. Each is one file, with an extra of its own."""
