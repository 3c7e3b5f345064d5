"""Contents of a generated kernel's arrays and numbers: ordinary values among those where mistakes hide."""

import numpy as np

from elements import FP64, I1, convert, encode

_PERIOD = 8191
_FLOAT_CORNERS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, 255.0, 256.0, -128.0, 65504.0, 2147483648.0, -2147483648.0,
                  4294967296.0, 9.3e18, 1e-8, 1e-40, 6e-8, float("inf"), float("-inf"), float("nan")]


def _int_corners(element):
    low, high = element.range()
    corners = [0, 1, 2, 3, 7, 31, 32, 63, 64, 127, 128, high, high - 1, low, low + 1, high // 2]
    if element.is_signed():
        corners += [-1, -2, -3, -7, -128]
    return [corner for corner in corners if low <= corner <= high]


def random_values(random, element, count):
    """Values of a type, as NumPy holds them. `random` is NumPy's generator."""
    if element is I1:
        return random.integers(0, 2, count) != 0
    shares = random.random(count)
    if element.is_int():
        bits = random.bytes(count * element.bits // 8)
        small = random.integers(-8 if element.is_signed() else 0, 9, count).astype(element.carrier)
        values = np.where(shares < 0.4, np.frombuffer(bits, element.carrier), small)
        corners = np.array(_int_corners(element), object)[random.integers(0, len(_int_corners(element)), count)]
        return np.where(shares > 0.75, corners.astype(element.carrier), values)
    scale = 3.0 if element.bits <= 16 else 12.0
    wide = random.normal(0, 1, count) * np.exp2(random.normal(0, scale, count))
    values = np.where(shares < 0.5, wide, random.integers(-8, 9, count))
    corners = np.array(_FLOAT_CORNERS)[random.integers(0, len(_FLOAT_CORNERS), count)]
    return convert(np.where(shares > 0.8, corners, values), FP64, element)


def long_raw(random, element, count):
    """The same as random_raw, repeated in arrays that take long to make."""
    return np.resize(random_raw(random, element, min(count, _PERIOD)), count)


def random_raw(random, element, count):
    """The same as they lie in memory. Booleans are any bytes."""
    if element is I1:
        return random.choice(np.array([0, 0, 1, 1, 2, 128, 255], np.uint8), count)
    if element.kind == "fp8":
        return random.integers(0, 256, count).astype(np.uint8)
    return encode(random_values(random, element, count), element)
