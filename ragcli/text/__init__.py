"""English text: words, names, numbers, sentences, markup, and whether a text supports a claim.

All packages use these definitions. The functions are pure: they take text and return words and
offsets.
"""
