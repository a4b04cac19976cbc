"""Evaluation: metrics and reports for questions with known evidence; metrics need no model.

``evaluate`` implements the command. The other files, in the order of their use:

- questions: ``cases`` (the records), ``datasets`` (from a file to cases), ``dataset_formats`` (one
  parser for each format), ``record_fields`` (typed reading of one JSON record);
- asking: ``eval_runner`` (one open store), ``baseline_writer`` (texts that a model writes before
  the search), ``choice_picker`` (the choice of an answer), ``measure`` (all cases and modes),
  ``checkpoint`` (answers kept for the next run);
- scoring: ``matching`` (the ranks of the evidence), ``rank_metrics``, ``text_metrics``,
  ``score`` (all metrics of one answer), ``results`` (the records), ``bootstrap``, ``summary``,
  ``thresholds``;
- judging: ``judge_prompts`` (prompts for a judge, and parsing of its replies), ``verdicts``
  (aggregation of verdicts), ``judge`` (a whole evaluation);
- reporting: ``report`` (JSON and the table), ``html_report`` with ``plots`` and ``templates/``,
  ``junit``, ``trec``, ``report_folder`` (all of them into one folder).

``make_questions`` writes a file of questions with a language model.
"""
