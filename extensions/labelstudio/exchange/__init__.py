"""Send work to Label Studio, and take in the answers."""
