"""From narrations of videos to questions about the next action, as EgoPlan-Bench is made; no file and no database."""
