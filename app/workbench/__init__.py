"""The working page: one component that draws Author, Verify, Adjudicate and Grade.

``page`` makes the data of a page (pure), ``stages`` asks the use cases for it, ``assets`` serves its JavaScript and
styles, ``mount`` puts it on the screen, and ``web/`` holds what runs in the browser.
"""
