"""Which text stands on a mark, and colours at a share of their opacity."""


def luminance(colour: str) -> float:
    """The relative luminance (WCAG) of `#rrggbb`."""
    light = []
    for i in (1, 3, 5):
        value = int(colour[i : i + 2], 16) / 255
        light.append(value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4)
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def on(colour: str) -> str:
    """Black or white, whichever contrasts more with a mark of that colour."""
    level = luminance(colour) + 0.05
    return "#ffffff" if 1.05 / level >= level / 0.05 else "#000000"


def tint(colour: str, share: float) -> str:
    """The colour at a share of its opacity, for Plotly: `rgba(…)`."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{share})"
