"""Queries on the servers, the tasks sent to them, and the answers received."""
