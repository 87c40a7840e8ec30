"""Floor 2: the media store with its copies, frames and clips. Knows images and videos, but no projects."""
