"""Colour as it is seen: sRGB to Lab, CIEDE2000, and three kinds of colour vision."""

import math

# Machado, Oliveira and Fernandes 2009, severity 1.0, for linear RGB
VISION = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}  # fmt: skip
_XYZ = ((0.4124564, 0.3575761, 0.1804375), (0.2126729, 0.7151522, 0.0721750),
        (0.0193339, 0.1191920, 0.9503041))  # fmt: skip
_D65 = (0.95047, 1.0, 1.08883)

Triple = tuple[float, float, float]


def _times(matrix, vector) -> Triple:
    a, b, c = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return a, b, c


def linear(colour: str) -> Triple:
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    a, b, c = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values)
    return a, b, c


def lab(colour: str, vision: str = "normal") -> Triple:
    seen = [min(1.0, max(0.0, v)) for v in _times(VISION[vision], linear(colour))]
    x, y, z = (
        v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116
        for v in (a / n for a, n in zip(_times(_XYZ, seen), _D65, strict=True))
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def contrast(one: str, other: str) -> float:
    first, second = (
        sum(w * v for w, v in zip(_XYZ[1], linear(c), strict=True)) for c in (one, other)
    )
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)


def ciede2000(one: Triple, other: Triple) -> float:
    """Sharma, Wu and Dalal 2005, with all weights 1."""
    l1, a1, b1 = one
    l2, a2, b2 = other
    chroma = (math.hypot(a1, b1) + math.hypot(a2, b2)) / 2
    g = 0.5 * (1 - math.sqrt(chroma**7 / (chroma**7 + 25**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = math.hypot(a1, b1), math.hypot(a2, b2)
    h1, h2 = (math.degrees(math.atan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    turn = -turn if h2 - h1 in (180, -180) and h2 > h1 and turn < 0 else turn
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn) / 2)
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    return _total(l2 - l1, c2 - c1, dh, mean_l, mean_c, mean_h)


def _total(dl, dc, dh, mean_l, mean_c, mean_h) -> float:
    h = math.radians
    t = (
        1 - 0.17 * math.cos(h(mean_h - 30)) + 0.24 * math.cos(h(2 * mean_h))
        + 0.32 * math.cos(h(3 * mean_h + 6)) - 0.20 * math.cos(h(4 * mean_h - 63))
    )  # fmt: skip
    sl = 1 + 0.015 * (mean_l - 50) ** 2 / math.sqrt(20 + (mean_l - 50) ** 2)
    sc, sh = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    turn = 30 * math.exp(-(((mean_h - 275) / 25) ** 2))
    rt = -2 * math.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * math.sin(h(2 * turn))
    return math.sqrt((dl / sl) ** 2 + (dc / sc) ** 2 + (dh / sh) ** 2 + rt * dc / sc * dh / sh)
