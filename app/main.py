"""The script that Streamlit runs for every page. Everything is in ``app.shell``."""

from app import shell

shell.run()
