"""Questions with known evidence in, figures and reports out; the figures need no model.

``evaluate`` is the whole command; the other files, in the order in which it uses them:

- questions: ``cases`` (the records), ``datasets`` (from a file to cases), ``dataset_formats`` (one
  parser for each format), ``record_fields`` (typed reading of one JSON record);
- asking: ``eval_runner`` (one open store), ``baseline_writer`` (what a model writes before the
  search), ``choice_picker`` (which choice an answer comes to), ``measure`` (all cases and modes),
  ``checkpoint`` (answers kept for the next run);
- scoring: ``matching`` (at which ranks the evidence stands), ``rank_metrics``, ``text_metrics``,
  ``score`` (all metrics of one answer), ``results`` (the records), ``bootstrap``, ``summary``,
  ``thresholds``;
- judging: ``judge_prompts`` (what a judge is asked, and how its replies are read), ``verdicts``
  (what verdicts add up to), ``judge`` (a whole evaluation);
- reporting: ``report`` (JSON and the table), ``html_report`` with ``plots`` and ``templates/``,
  ``junit``, ``trec``, ``report_folder`` (all of them into one folder).

``make_questions`` and ``question_prompts`` write a file of questions by a language model.
"""
