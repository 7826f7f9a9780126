"""Crops of images, by Pillow."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageOps, UnidentifiedImageError

from citeloom.domain.errors import ConversionFailed, InvalidRequest, UnsupportedFormat
from citeloom.domain.maps.resource_map import Location
from citeloom.domain.messages import Action, NextStep

# What PNG can hold without loss (PNG specification, 11.2.1); CMYK, YCbCr and Lab pixels are
# shown as RGB.
_AS_THEY_ARE = frozenset({"1", "L", "LA", "I;16", "P", "RGB", "RGBA"})
_AS_RGB = frozenset({"CMYK", "YCbCr", "LAB", "HSV", "RGBX"})


def write_crop(source: Path, location: Location, target: Path) -> Sequence[str]:
    """The box of the picture as displayed (turned as its EXIF data says), as PNG: edges are
    rounded to pixels, at least one is left. Of several frames the first."""
    if location.bbox is None:
        raise InvalidRequest(
            f"{source.name}: no bounding box; name one, as in #bbox=0.1,0.2,0.9,0.8",
            parameter="bbox",
        )
    try:
        with Image.open(source) as opened:
            frames = getattr(opened, "n_frames", 1)
            upright = ImageOps.exif_transpose(opened)
            crop = upright.crop(_pixels(location.bbox, upright.size))
    except Image.DecompressionBombError as error:
        raise UnsupportedFormat(f"{source.name}: too many pixels; scale it down") from error
    except UnidentifiedImageError as error:
        raise UnsupportedFormat(
            f"{source.name}: no picture that can be cut", NextStep(Action.LOCATE_ONLY)
        ) from error
    except (OSError, SyntaxError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ConversionFailed(f"{source.name}: damaged ({error}); download it again") from error
    if "transparency" in crop.info:
        crop = crop.convert("RGBA")
    elif crop.mode in _AS_RGB:
        crop = crop.convert("RGB")
    elif crop.mode not in _AS_THEY_ARE:
        raise UnsupportedFormat(
            f"{source.name}: pixels of kind {crop.mode} fit no PNG; save it with 8 or 16 bits"
        )
    profile = upright.info.get("icc_profile") if crop.mode == upright.mode else None
    crop.info.clear()
    crop.save(target, "PNG", icc_profile=profile)
    return [f"{source.name}: of {frames} frames the first"] if frames > 1 else []


def _pixels(
    bbox: tuple[float, float, float, float], size: tuple[int, int]
) -> tuple[int, int, int, int]:
    left, right = _edges(bbox[0], bbox[2], size[0])
    top, bottom = _edges(bbox[1], bbox[3], size[1])
    return left, top, right, bottom


def _edges(low: float, high: float, length: int) -> tuple[int, int]:
    first = min(round(low * length), length - 1)
    return first, max(round(high * length), first + 1)
