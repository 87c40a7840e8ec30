"""Reading: the statements in free texts such as models' answers, and the steps that all readers share."""
