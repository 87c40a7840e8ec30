"""The rules from narrations to questions about the next action, as in EgoPlan-Bench; without files or a database."""
