"""What stands before a release and what comes out of it: the checklist, and files to download."""
