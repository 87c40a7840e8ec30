"""The parts of the page Results: the settings, the table, and the parts below it."""
