"""Label Studio as a second front end: its forms, what its results mean, its files, and a client of its server.

``results`` says what a result means here and which one means given answers; ``labeling`` makes the configuration of a
form and the data of its tasks. ``import_file`` and ``export_file`` read and write its JSON, with the ``names`` that a
team gave things there and its ``values``. ``client`` asks a server with what ``tokens`` has for it; ``controls`` reads
forms that others made. Other rooms import these alone.
"""
