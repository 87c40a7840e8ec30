"""The parts of the page Results: what is asked, the table, and what stands below it."""
