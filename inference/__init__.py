"""Floor 2: models and judges; the only room that knows torch, transformers and model API clients."""
