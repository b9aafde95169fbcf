"""What in a text is personal or secret: detectors, none of which needs the network or a model to be downloaded.

Source: MaRS section 3.3.3 (sensitivity at ingestion), appendix C.
"""
