"""English text: its words, names, numbers, sentences and markup, and what bears a claim out.

Every room reads text with these definitions. They are pure: text in, words and offsets out.
"""
