"""Questions with known evidence in, figures and reports out; the figures need no model.

cases, fields, formats -> datasets        what is asked, and what would be right
text_metrics, matching, metrics -> score  one answer in, named numbers out
records, bootstrap -> summary, thresholds many numbers in, means with intervals out
checkpoint -> run                         the line itself, resumable
report, trec, junit, html_report (plots, templates/)  one renderer a file
judge -> verdicts, referee, questions     the LLM judge, and files for judging elsewhere
outputs                                   all of it into one folder
"""
