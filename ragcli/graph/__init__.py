"""Builds the graph from extractions: entities, co-occurrence, profiles, summaries and hierarchy.

Everything here is pure: records in, records out; no files, no models, no clock. All sums are
integers, so the order of the documents does not affect the result.
"""
