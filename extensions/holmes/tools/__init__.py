"""Tools that a model in a conversation asks for, run: programs of this machine, and servers that are asked."""
