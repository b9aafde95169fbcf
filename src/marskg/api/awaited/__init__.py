"""The facade for programs with an event loop: the same operations, awaited."""
