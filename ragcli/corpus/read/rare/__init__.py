"""Readers of formats that few folders hold: manual pages, RTF, LaTeX, calendars, subtitles.

They use what any package with a reader may use: ``file_text``, ``outline``, ``line_text``.
"""
