"""Models that run on this machine, through transformers. Importing these modules does not import torch."""
