"""Files of narrations, goals and questions: reading and writing them."""
