"""Tools of the people who work on Touchstone itself; not part of the installed package."""
