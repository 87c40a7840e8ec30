"""Floor 2: the media store with its derivatives, frames and clips. Knows images and videos, nothing of projects."""
