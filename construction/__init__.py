"""Plans of tasks that a model is asked about; without files or a database."""
