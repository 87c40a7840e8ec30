"""The settings of Sphinx for the documentation site. ``tools/site.py`` runs it."""

project = "Touchstone"
html_title = "Touchstone"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_enable_extensions = ["attrs_block", "colon_fence"]
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto"]
html_theme = "furo"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0f6e84", "color-brand-content": "#0f6e84"},
    "dark_css_variables": {"color-brand-primary": "#5fc0d6", "color-brand-content": "#5fc0d6"},
}
html_copy_source = False
html_show_sphinx = False
nitpicky = True
