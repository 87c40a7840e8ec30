"""The made-up demo project: drawn scenes whose true answers are known by construction."""
