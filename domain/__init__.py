"""Floor 0: the words every other room shares: errors, roles, states, policies, and the records passed between floors."""
