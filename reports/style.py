"""The report's style sheet: variables for every colour, dark on screen, light on paper."""

from charts.contrast import on
from charts.theme import DARK, LIGHT, Theme

_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,
"Noto Sans","Liberation Sans","Noto Sans SC",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:820px;margin:0 auto;padding:36px 24px 48px}
.wordmark svg{height:24px;display:block;margin:0 0 12px}
h1{font-size:26px;line-height:1.25;margin:0 0 8px;font-weight:650}
h2{font-size:18px;margin:36px 0 6px;font-weight:650}
h3{font-size:15px;margin:22px 0 4px;font-weight:650}
p{margin:0 0 10px}.soft,.note-line{color:var(--soft)}.small{font-size:13px}
.cards{display:grid;grid-template-columns:repeat(6,1fr);border:1px solid var(--rule);
border-radius:8px;margin:16px 0 0}
.cards div{padding:12px 8px 12px 14px;border-left:1px solid var(--rule);min-width:0}
.cards div:first-child{border-left:0}.cards span{display:block;color:var(--soft);font-size:12.5px;
white-space:nowrap}
.cards b{display:block;font-size:20px;white-space:nowrap}
table{border-collapse:collapse;width:100%;font-size:14px}
th{font-weight:400;color:var(--soft);text-align:left}
th,td{padding:4px 8px 4px 0;border-bottom:1px solid var(--rule);vertical-align:top}
.n{text-align:right;white-space:nowrap}.n+:not(.n){padding-left:14px}
tr:last-child td{border-bottom:0}td:first-child{min-width:8.5em}
i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:7px}
.two{display:grid;grid-template-columns:300px 1fr;gap:24px;align-items:start}
.donut{width:300px}.donut .total{font-size:24px;font-weight:650}.donut .note{font-size:12px;
fill:var(--soft)}.donut text{text-anchor:middle;fill:var(--ink)}
.bands{width:100%;min-width:560px}
.bands text{font-size:12px;fill:var(--ink)}.bands .strong{font-weight:650}
.bands .on{text-anchor:middle}
.fix{display:grid;grid-template-columns:1fr 250px;gap:22px;border-top:1px solid var(--rule);
padding:12px 0}.fix p{margin:0}.saving{width:250px;display:block;margin-bottom:4px}
.strip{width:110px;vertical-align:-1px}.wrap{overflow-x:auto}
footer{margin-top:36px;border-top:1px solid var(--rule);padding-top:10px}
@media screen and (max-width:700px){
.two,.fix{grid-template-columns:1fr}.cards{grid-template-columns:
repeat(2,1fr)}.wrap table{min-width:34rem}.two .wrap table{min-width:0}
.two{justify-items:stretch}.donut{margin:0 auto}
.cards div:nth-child(odd){border-left:0}.cards div:nth-child(n+3){border-top:1px solid
var(--rule)}}
@page{size:A4;margin:16mm 15mm}
@media print{body{font-size:11.5pt;print-color-adjust:exact;-webkit-print-color-adjust:exact}
main{padding:0;max-width:none}table{font-size:10pt}section.whole,.fix,tr,.cards{break-inside:avoid}
h1,h2,h3{break-after:avoid}.two{grid-template-columns:260px 1fr}.donut{width:260px}}
"""


def css() -> str:
    """The whole style sheet."""
    dark = f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}"
    return f":root{{color-scheme:light dark;{_variables(LIGHT)}}}\n{dark}{_RULES}"


def _variables(theme: Theme) -> str:
    values = {
        name: getattr(theme, name)
        for name in ("bg", "ink", "soft", "faint", "rule", "accent", "good", "bad", "warn")
    }
    values |= {f"g-{group}": colour for group, colour in theme.groups.items()}
    for stage, colour in theme.stages.items():
        name = stage.replace("_", "-")
        values |= {name: colour, f"on-{name}": on(colour)}
    return "".join(f"--{name}:{value};" for name, value in values.items())
