"""Readers of formats that few folders hold: manual pages, RTF, LaTeX, calendars, subtitles.

In: the bytes of a file and its path. Out: a ``FileText``. They use only what any package with a
reader may use: ``file_text``, ``outline``, ``line_text``.
"""
