"""The working page: one component that draws Author, Verify, Adjudicate and Grade.

``page`` builds the data of a page with pure functions, and ``stages`` gets the content from the use cases. ``assets``
serves the JavaScript and styles in ``web/``, and ``mount`` puts a page on the screen.
"""
