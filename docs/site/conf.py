"""Configure Sphinx for the reading site; `make site` runs it on a folder that `build.py` wrote."""

from utils.course import public_address

project = "Attention, from the heatmap up"
html_title = project
html_baseurl = public_address()
root_doc = "course"
extensions = ["myst_nb", "sphinx-mathjax-offline"]
nb_execution_mode = "off"  # the notebooks already store outputs, which CI has checked
nb_merge_streams = True
nb_code_prompt_show = "Open the answer"
nb_code_prompt_hide = "Fold the answer"
myst_enable_extensions = ["dollarmath", "html_image"]
myst_html_meta = {
    "description": "A free, hands-on course on attention: notebooks and exercises for a laptop."
}
myst_heading_anchors = 4
myst_links_external_new_tab = False
html_theme = "furo"
# The colours of the front page: `front/front.css` says what they are for.
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#15696a",
        "color-brand-content": "#15696a",
        "color-brand-visited": "#15696a",
        "color-background-primary": "#fbfaf7",
        "color-background-secondary": "#f3f1ec",
        "color-foreground-muted": "#5d5868",
        "font-stack--headings": '"Iowan Old Style", Palatino, Georgia, "Liberation Serif", serif',
    },
    "dark_css_variables": {
        "color-brand-primary": "#52cbb0",
        "color-brand-content": "#52cbb0",
        "color-brand-visited": "#52cbb0",
        "color-background-primary": "#131118",
        "color-background-secondary": "#17141d",
        "color-foreground-muted": "#aaa4b8",
    },
}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"type": "module"})]
html_copy_source = False
html_use_index = False
html_show_sourcelink = False
html_show_copyright = False
nitpicky = True
html_favicon = "_static/icon.svg"
