"""From a free text to what it states: models' answers, and what every reader of texts does before it looks."""
