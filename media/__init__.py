"""Floor 2: the content-addressed store of images and clips, with their derivatives."""
