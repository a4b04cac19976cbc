"""The store: one SQLite file with all data but the vectors.

In: records, in transactions (``writer``). Out: records of one generation (``snapshot``), and a
``digest``. ``derived`` keeps the manifests of files that can be made again. It may not interpret
content or run a model.
"""
