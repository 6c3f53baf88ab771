"""Draws a bar for each ratio, with a whisker from the 10th to the 90th
percentile.

The scale is logarithmic, so that twice as fast and half as fast are equally
far from the line at 1. The colours are legible on light and on dark pages.
"""
import math
from xml.sax.saxutils import escape

COLOURS = ["#3b82c4", "#d9822b", "#3f9e6a", "#a35bb5", "#b0553f"]
LABEL, WIDTH, RIGHT = 200, 520, 70
BAR, GAP, TOP = 14, 12, 56

STYLE = """
text { font: 12px system-ui, sans-serif; fill: #6e7781 }
.title { font-size: 14px; font-weight: 600 }
.axis { stroke: #8b949e; stroke-width: 1; stroke-opacity: .35 }
.one { stroke: #8b949e; stroke-width: 1.5 }
.whisker { stroke: #6e7781; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #b6bec8 }
  .whisker { stroke: #d0d7de }
}
"""


def ticks(low, high):
    power = math.floor(math.log2(low))
    while 2.0 ** power <= high * 1.0001:
        if 2.0 ** power >= low * 0.9999:
            yield 2.0 ** power
        power += 1


def tick_text(value):
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"


def draw(title, groups, peers):
    """The SVG of `groups`: pairs of a label and {peer: (median, p10, p90)}."""
    spans = [r for _, bars in groups for r in bars.values()]
    low = min([0.5] + [r[1] for r in spans])
    high = max([2.0] + [r[2] for r in spans])
    low, high = (2.0 ** math.floor(math.log2(low)),
                 2.0 ** math.ceil(math.log2(high)))

    def x(value):
        return LABEL + WIDTH * math.log(value / low) / math.log(high / low)

    shapes, y = [], TOP
    for label, bars in groups:
        middle = y + BAR * len(bars) / 2
        shapes.append(f'<text x="{LABEL - 10}" y="{middle + 4:.1f}" '
                      f'text-anchor="end">{escape(label)}</text>')
        for peer in [p for p in peers if p in bars]:
            median, p10, p90 = bars[peer]
            left, right = sorted((x(1), x(median)))
            colour = COLOURS[peers.index(peer) % len(COLOURS)]
            shapes.append(
                f'<rect x="{left:.1f}" y="{y + 1}" '
                f'width="{max(right - left, 1):.1f}" height="{BAR - 2}" '
                f'fill="{colour}"><title>{escape(label)}: {escape(peer)} '
                f'{median:.2f} ({p10:.2f} to {p90:.2f})</title></rect>')
            centre = y + BAR / 2
            shapes.append(
                f'<path class="whisker" fill="none" d="M{x(p10):.1f} '
                f'{centre}H{x(p90):.1f}M{x(p10):.1f} {centre - 3}v6M'
                f'{x(p90):.1f} {centre - 3}v6"/>')
            shapes.append(f'<text x="{LABEL + WIDTH + 10}" '
                          f'y="{centre + 4}">{median:.2f}</text>')
            y += BAR
        y += GAP
    axis = []
    for value in ticks(low, high):
        kind = "one" if value == 1 else "axis"
        axis.append(f'<path class="{kind}" d="M{x(value):.1f} {TOP - 6}'
                    f'V{y - GAP + 4}"/>')
        axis.append(f'<text x="{x(value):.1f}" y="{y + 6}" '
                    f'text-anchor="middle">{tick_text(value)}</text>')
    legend, at = [], LABEL
    for peer in peers:
        colour = COLOURS[peers.index(peer) % len(COLOURS)]
        legend.append(f'<rect x="{at}" y="30" width="10" height="10" '
                      f'fill="{colour}"/><text x="{at + 15}" y="39">'
                      f'{escape(peer)}</text>')
        at += 30 + 7 * len(peer)
    whole = LABEL + WIDTH + RIGHT
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole}" '
        f'height="{y + 16}" viewBox="0 0 {whole} {y + 16}">',
        f"<style>{STYLE}</style>",
        f'<text class="title" x="{LABEL}" y="18">{escape(title)}</text>',
        *legend, *axis, *shapes, "</svg>", ""])
