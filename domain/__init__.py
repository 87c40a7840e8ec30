"""Floor 0: the words all rooms share: errors, roles, states, policies, and the records passed between floors."""
