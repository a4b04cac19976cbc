"""Words, names, numbers, sentences, markup, and what a question asks.

In: text. Out: words, offsets and verdicts, such as whether a text supports a claim. All packages
use these definitions. The functions are pure, and every regular expression takes linear time. Only
``asked_question`` and the modules that it uses look at the words of a question.
"""
