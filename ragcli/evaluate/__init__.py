"""Questions with known evidence in, figures and reports out; no model is needed for the figures.

cases -> formats -> datasets   what is asked
text_metrics -> matching -> metrics -> score   one answer in, named numbers out
bootstrap -> summary           many numbers in, means with intervals out
checkpoint -> run              the line itself, resumable
report, html, junit, trec      one renderer a file
judge, questions, verdicts     the LLM judge, and files for judging elsewhere
"""
