"""Floor 3: what people do, a room for each part of it; opens the transaction and brings the floors below together.

A room here imports only from those before it: ``access``, ``annotate``, ``runs``, ``results``, then ``files`` and
``lead``, which do not know each other.
"""
