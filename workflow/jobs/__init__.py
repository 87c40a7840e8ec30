"""Jobs: long tasks as rows of one table, which processes take one after another.

``kinds`` says what a kind of job is, ``desk`` begins, lists, cancels and repeats jobs, and ``working`` does them.
``app.jobs`` has the register of kinds, and starts the processes.

Imports ``workflow.access``.
"""
