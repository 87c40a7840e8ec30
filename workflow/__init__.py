"""Floor 3: one module per use case; opens the transaction and brings the rooms below together."""
