"""How the explorer looks: quiet colours, and where the panels stand."""

from __future__ import annotations

from textual.theme import Theme

CALM = Theme(
    name="polyloop",
    primary="#7aa2c8",
    secondary="#9aa9b8",
    accent="#8fbcbb",
    foreground="#d5d9df",
    background="#15181d",
    surface="#1b1f26",
    panel="#242a33",
    success="#93b58a",
    warning="#d0b07a",
    error="#cf7f82",
    dark=True,
)

LAYOUT = """
Screen { background: $background; layers: base; }

#title { height: 1; padding: 0 1; background: $surface; }
#status { height: auto; min-height: 1; max-height: 3; text-wrap: wrap; padding: 0 1; color: $text-muted; }
#keys { height: 1; padding: 0 1; color: $text-muted; }

#main { height: 1fr; }
#left { width: 1fr; }
#right { width: 34; }
.-wide #right { width: 44; }

Static { text-wrap: nowrap; text-overflow: ellipsis; }
#page-text { text-wrap: wrap; }

.panel { border: round $panel-lighten-2; border-title-color: $text-muted; padding: 0 1; background: $background; }
#loops-panel { height: 1fr; min-height: 4; scrollbar-size-vertical: 1; }
#actions { height: auto; }
#speed { height: auto; }
#data { height: auto; max-height: 10; }
#history-panel { height: 1fr; min-height: 3; scrollbar-size-vertical: 1; }

.-tall #actions { height: 18; }
.-tall #data { max-height: 16; }

.-narrow #main { layout: vertical; }
.-narrow #left { width: 1fr; height: 2fr; }
.-narrow #right { width: 1fr; height: auto; }
.-narrow #data, .-narrow #history-panel { display: none; }
Screen.-narrow.-short #actions { display: none; }
.-short #data, .-tiny #data { display: none; }
Screen.-tiny #actions, Screen.-narrow.-tiny #right, .-tiny #keys { display: none; }
.-tiny #status { max-height: 1; }

Page, Prompt { align: center middle; background: $background 60%; }
.page, .prompt { max-width: 96%; height: auto; border: round $primary; padding: 1 2; background: $surface; }
.page { width: 92; max-height: 90%; }
.page VerticalScroll { height: auto; max-height: 100%; }
.prompt { width: 64; }
"""
