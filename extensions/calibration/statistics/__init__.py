"""Statistics of judges against people, and the rule of the verdict. Notebooks have them from ``agreement``."""
