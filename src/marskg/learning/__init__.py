"""Learning from use, wired to the store: feedback, conflicts, fading and wishes, each change signed and undoable.

Guarantees: what is decided is decided by :mod:`marskg.control`; what is changed goes through the store's one writer.
"""
