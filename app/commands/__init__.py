"""The subcommands of ``touchstone``, one module each."""
