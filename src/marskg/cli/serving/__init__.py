"""Commands that serve a store to other programs."""
