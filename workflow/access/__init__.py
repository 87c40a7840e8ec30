"""Access: who may do what in which project, what the log says about it, and which of its items count.

Projects, accounts, sign-in, roles, the versions of guidelines, the log of events. Imports no other room of the
workflow.
"""
