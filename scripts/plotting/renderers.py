# SPDX-License-Identifier: MIT
"""Renders a drawing in several formats at once.

Most of the time of writing a figure goes into laying out its ticks, texts and legends, which matplotlib repeats for each
format. Here the drawing is laid out once, in points, and each path and text goes to the renderers of all formats.
"""
from __future__ import annotations

from collections.abc import Callable
from io import BytesIO, StringIO
from typing import Any

import numpy
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.backends.backend_mixed import MixedModeRenderer
from matplotlib.backends.backend_pdf import PdfFile, RendererPdf
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.figure import Figure
from matplotlib.transforms import Affine2D, Bbox, TransformedPath
from PIL import Image

POINTS_AN_INCH = 72


class PixelRenderer:
    """Draws what is laid out in points as pixels."""

    def __init__(self, inches: tuple[float, float], dpi: float) -> None:
        self.factor = dpi / POINTS_AN_INCH
        self.pixels = RendererAgg(*(side * dpi for side in inches), dpi)

    def scaled(self, transform: Any) -> Affine2D:
        return Affine2D(numpy.diag([self.factor, self.factor, 1]) @ transform.get_matrix())

    def context(self, of: GraphicsContextBase) -> GraphicsContextBase:
        """Line widths are in points anyway, so only the clipping is scaled."""
        context = GraphicsContextBase()
        context.copy_properties(of)
        if (rectangle := of.get_clip_rectangle()) is not None:
            context.set_clip_rectangle(Bbox(self.factor * rectangle.get_points()))
        path, transform = of.get_clip_path()
        if path is not None:
            context.set_clip_path(TransformedPath(path, self.scaled(transform)))
        return context

    def draw_path(self, gc: GraphicsContextBase, path: Any, transform: Any, face: Any = None) -> None:
        self.pixels.draw_path(self.context(gc), path, self.scaled(transform), face)

    def draw_markers(self, gc: GraphicsContextBase, marker: Any, marker_transform: Any, path: Any, transform: Any,
                     face: Any = None) -> None:
        self.pixels.draw_markers(self.context(gc), marker, self.scaled(marker_transform), path, self.scaled(transform), face)

    def draw_path_collection(self, gc: GraphicsContextBase, transform: Any, paths: Any, transforms: Any, offsets: Any,
                             offset_transform: Any, *styles: Any, **more: Any) -> None:
        self.pixels.draw_path_collection(self.context(gc), self.scaled(transform), paths, transforms, offsets,
                                         self.scaled(offset_transform), *styles, **more)

    def draw_text(self, gc: GraphicsContextBase, x: float, y: float, *text: Any, **more: Any) -> None:
        self.pixels.draw_text(self.context(gc), self.factor * x, self.factor * y, *text, **more)

    def png(self, **options: Any) -> bytes:
        file = BytesIO()
        Image.fromarray(numpy.asarray(self.pixels.buffer_rgba())).convert("RGB").save(file, format="png", **options)
        return file.getvalue()


class TogetherRenderer:
    """Draws with several renderers. The first one measures texts."""

    def __init__(self, svg: RendererSVG, pdf: RendererPdf, pixels: PixelRenderer | None) -> None:
        self.svg, self.pdf = svg, pdf
        self.all = [svg, pdf, *([pixels] if pixels else [])]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("draw_"):
            return self.__dict__.setdefault(name, self.drawing_with_all(name))
        return getattr(self.svg, name)

    def drawing_with_all(self, name: str) -> Callable[..., None]:
        methods = [getattr(renderer, name) for renderer in self.all]

        def draw(*arguments: Any, **more: Any) -> None:
            for method in methods:
                method(*arguments, **more)

        return draw

    def new_gc(self) -> GraphicsContextBase:
        return self.pdf.new_gc()  # has the state that a PDF needs, and all that the others need

    def draw_text(self, gc: GraphicsContextBase, x: float, y: float, *text: Any, **more: Any) -> None:
        for renderer in self.all:
            # A PDF counts from the bottom.
            renderer.draw_text(gc, x, self.svg.height - y if renderer is self.pdf else y, *text, **more)


def render(drawing: Figure, picture_dpi: float, png_dpi: float | None) -> tuple[str, bytes, PixelRenderer | None]:
    """Returns the SVG, the PDF, and the pixels if their resolution is given: a drawing that has pictures of its own is
    drawn apart for them."""
    svg, pdf = StringIO(), BytesIO()
    inches = tuple(drawing.get_size_inches())
    width, height = (POINTS_AN_INCH * side for side in inches)
    dpi, drawing.dpi = drawing.dpi, POINTS_AN_INCH
    file = PdfFile(pdf, metadata={"CreationDate": None, "Creator": None, "Producer": None})
    try:
        file.newPage(*inches)
        pixels = PixelRenderer(inches, png_dpi) if png_dpi else None
        svg_renderer = RendererSVG(width, height, svg, image_dpi=picture_dpi, metadata={"Date": None, "Creator": None})
        together = TogetherRenderer(svg_renderer, RendererPdf(file, picture_dpi, height, inches[0]), pixels)
        renderer = MixedModeRenderer(drawing, *inches, picture_dpi, together)
        drawing.draw(renderer)
        svg_renderer.finalize()
        together.pdf.finalize()
        file.finalize()
    finally:
        file.close()
        drawing.dpi = dpi
    return svg.getvalue(), pdf.getvalue(), pixels
