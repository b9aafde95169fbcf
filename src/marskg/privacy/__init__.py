"""Privacy that is enforced: erasure with proof, receipts, and what comes before and after them.

Sources: MaRS sections 3.3.3, 3.4.2, 4.3 and 5.4; semantics sections 5, 6, 8 to 11.
"""
