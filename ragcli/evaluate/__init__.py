"""Measures answers: cases with known evidence in, metrics and reports out.

In: a file of questions (``datasets``) and an open store. Each case is asked in each mode
(``measure``), scored (``score``), summed up (``summary``) and written as JSON, HTML, JUnit or TREC
(``report``). ``evaluate`` runs these steps. ``judge`` and ``make_questions`` need a language model;
no metric does. It may ask and read; it may not answer in a way of its own or write to the store.
"""
