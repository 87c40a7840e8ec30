"""Parts of the page *Projects*: a new project, and long actions on a whole project."""
