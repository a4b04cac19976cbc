"""Builds the graph: entities, co-occurrence, profiles, summaries and the hierarchy.

In: extractions and findings as records. Out: contributions, nodes, profiles and clusters as
records. Everything is pure: no files, no models, no clock. Sums are integers, so the order of the
documents does not change the result.
"""
