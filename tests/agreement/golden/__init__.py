"""What ``python -m agreement.golden`` computes and compares: files of golden values, entry by entry."""
