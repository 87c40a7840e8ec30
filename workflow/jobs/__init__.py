"""Jobs: long tasks as rows of one table, which processes execute one after another.

``kinds`` defines a kind of job, ``desk`` begins, lists, cancels and repeats jobs, and ``working`` executes them.
``app.jobs`` has the register of kinds, and starts the processes. Imports ``workflow.access``.
"""
