"""Requests that leave this machine: the allowed servers and addresses, and the limits on time and size."""
