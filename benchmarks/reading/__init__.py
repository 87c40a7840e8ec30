"""How often models' answers are read wrongly or not at all: answers that are made from a known truth, in many manners."""
