"""Extensions: a folder for each capability that not every benchmark needs, from its rules to its page and tests.

A folder has a record ``EXTENSION`` (``domain.extensions.Extension``) that says what it adds to core's registers. It
imports core, core never imports it, and no extension imports another. Deleting a folder removes its additions.
"""
