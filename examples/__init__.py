"""Beside the house: drawn scenes and clips with known answers, and the demo project that is made of them."""
