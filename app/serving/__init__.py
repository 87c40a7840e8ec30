"""What the process that serves pages needs besides the application: limits, filters, keys, and a clean end."""
