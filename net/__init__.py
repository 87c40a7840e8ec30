"""Requests that leave this machine: which servers may be asked, at which address, for how long and for how much."""
