"""Access: who may do what in which project, the event log, and which items count.

Projects, accounts, sign-in, roles, guideline versions, and the event log. Imports no other room of the workflow.
"""
