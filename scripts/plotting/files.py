# SPDX-License-Identifier: MIT
"""Writes a drawing as SVG, PNG and PDF, with the same bytes for the same numbers."""
from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from string import printable
from typing import Any

from matplotlib.backends import _backend_pdf_ps
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from plotting.renderers import render

ENDINGS = ("svg", "png", "pdf")
PNG_DPI = 160
PICTURE_DPI = 120  # of raster images within an SVG or PDF
USUAL_LETTERS = frozenset(ord(letter) for letter in printable.strip() + " ×·–−µ⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def cut_once(cut: Callable[[str, str], Any]) -> Callable[[str, str], Any]:
    """Cutting a font down to the letters of a PDF takes as long as drawing it. So figures share one cut, which has the usual
    letters. Other releases of matplotlib may return fonts that cannot be shared; those are cut for each figure."""
    known: dict[tuple[str, frozenset[int]], bytes] = {}

    def shared(font: str, letters: str) -> Any:
        wanted = frozenset(map(ord, letters)) | USUAL_LETTERS
        key = (font, wanted)
        if key not in known:
            made = cut(font, "".join(map(chr, sorted(wanted))))
            if not isinstance(made, BytesIO):
                return made
            known[key] = made.getvalue()
        return BytesIO(known[key])

    return shared


if hasattr(_backend_pdf_ps, "get_glyphs_subset"):
    _backend_pdf_ps.get_glyphs_subset = cut_once(_backend_pdf_ps.get_glyphs_subset)


def has_pictures(drawing: Figure) -> bool:
    """Whether parts of the drawing become pictures in vector formats too."""
    return any(isinstance(artist, AxesImage) or artist.get_rasterized() for artist in drawing.findobj())


def save(drawing: Figure, folder: Path, stem: str) -> str:
    """Writes the three files. Returns the SVG."""
    if engine := drawing.get_layout_engine():
        engine.execute(drawing)
        drawing.set_layout_engine(None)  # has done its work; would be repeated for each file
    png = {"compress_level": 3}
    apart = has_pictures(drawing)
    svg, pdf, pixels = render(drawing, PICTURE_DPI, None if apart else PNG_DPI)
    (folder / f"{stem}.svg").write_text(svg, encoding="utf-8")
    (folder / f"{stem}.pdf").write_bytes(pdf)
    if pixels:
        (folder / f"{stem}.png").write_bytes(pixels.png(**png))
    else:
        drawing.savefig(folder / f"{stem}.png", dpi=PNG_DPI, metadata={"Software": None}, pil_kwargs=png)
    return svg
