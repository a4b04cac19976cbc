"""The steps in which a language model, or recorded extractions, add to an index.

In: a store that is complete without them. Out: findings, summaries and names, which a commit takes
as ``Additions``. Each reply is stored when it arrives, so a stopped run repeats no call. It builds
no prompt (``extract.llm`` does) and keeps nothing that the text does not support.
"""
