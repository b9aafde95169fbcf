"""Giving the memory away and taking it back: RDF in four syntaxes, snapshots, the SPARQL view and guarded queries.

Guarantees: nothing here needs the network or a database; everything works on plain iterables of the records in
:mod:`marskg.records`, so that memory use does not grow with the store. What :mod:`~marskg.exporters.rdf.writer` writes,
:mod:`~marskg.exporters.rdf.reader` reads back to equal records; a file is there whole or not at all.
"""
