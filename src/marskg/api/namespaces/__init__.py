"""The operations that are not verbs of every day, by what they are about: ``mem.entities``, ``mem.audit`` and so on."""
