"""The working page: one component that draws Author, Verify, Adjudicate and Grade.

``page`` builds the data of a page (pure functions), ``stages`` gets the data from the use cases, ``assets`` serves its
JavaScript and styles, ``mount`` puts it on the screen, and ``web/`` holds the browser code.
"""
