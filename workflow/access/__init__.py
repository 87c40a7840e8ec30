"""Access: who may do what in which project, what is on record of it, and which of its items count.

Projects, accounts, sign-in, roles, the versions of guidelines, the log of events. Imports no other room of the
workflow.
"""
