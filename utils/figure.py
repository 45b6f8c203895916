"""A figure that shows itself in a notebook, with alt text, in the colours of the page.

Backgrounds are transparent, and words and axes have the colour of the text around the figure, in
every theme.
"""

import base64
import html
import io

import matplotlib as mpl
import numpy as np
from IPython.display import HTML, display
from matplotlib.figure import Figure
from PIL import Image, ImageFilter

INK = "#7f777d"  # words and axes: a grey with 4.3 : 1 on white and on JupyterLab's dark page
IN_INK = mpl.rc_context(
    {
        **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor"), INK),
        **dict.fromkeys(("xtick.color", "ytick.color"), INK),
        "axes.facecolor": "none",
        "grid.color": "0.65",
    }
)
SCREEN_DPI = 144  # drawn at twice the displayed size: sharp on high-resolution screens


class AccessibleFigure(Figure):
    """A matplotlib figure that shows itself in a notebook as an image with alt text.

    JupyterLab ignores alt text in a cell's metadata, so it is stored in an <img> element.
    """

    alt = ""

    @IN_INK  # some ticks are made only now
    def to_html(self) -> str:
        """Return the figure as an <img>, below a copy of its words in the page's own colour.

        Where a page leaves out styles, what is left is the <img>, whose words are grey.
        """
        buffer = io.BytesIO()
        self.savefig(buffer, format="png", dpi=SCREEN_DPI, facecolor="none")
        files = (buffer.getvalue(), _in_ink(Image.open(buffer)))
        picture, words = (base64.b64encode(file).decode() for file in files)
        width = round(self.get_figwidth() * SCREEN_DPI / 2)
        alt = html.escape(self.alt, quote=True)
        return (
            '<span style="position:relative;display:inline-block;max-width:100%">'
            f'<img alt="{alt}" width="{width}" style="display:block" '
            f'src="data:image/png;base64,{picture}">'
            '<span style="position:absolute;inset:0;background:currentColor;pointer-events:none;'
            f'mask:url(data:image/png;base64,{words}) 0 0/100% 100%"></span></span>'
        )

    def _ipython_display_(self) -> None:
        display(HTML(self.to_html()))


def _in_ink(picture: Image.Image) -> bytes:
    """Return what a transparent picture shows in the colour `INK`, as a PNG, black on nothing.

    On transparent ground the edge of a letter keeps its colour and loses opacity. So a pixel is of
    that colour, or belongs to something else. By chance so is one in a coloured cell, on the edge
    of its number: what has no transparent pixel nearby is left out.
    """
    opaque = picture.getchannel("A").filter(ImageFilter.MinFilter(9))
    pixels = np.asarray(picture.convert("RGBA")).astype(int)  # (height, width, 4)
    away = np.abs(pixels[..., :3] - [round(255 * part) for part in mpl.colors.to_rgb(INK)]).max(-1)
    faint = 255 / np.maximum(pixels[..., 3], 1)  # of a faint pixel, the colour is rounded more
    is_ink = (away <= 2 + 2 * faint) & (np.asarray(opaque) < 255)
    opacity = np.where(is_ink, pixels[..., 3], 0)  # (height, width), up to 255
    words = Image.fromarray((opacity / 85).round().astype("uint8")).convert("P")  # 4 levels
    words.putpalette([0] * 12)
    file = io.BytesIO()
    words.save(file, "png", bits=2, transparency=bytes(range(0, 256, 85)), optimize=True)
    return file.getvalue()
