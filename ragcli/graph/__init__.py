"""Extractions in, graph out: who is who, what stands beside what, and what sums up what.

Everything here is pure: records in, records out; no files, no models, no clock. All sums are
integers, so the order in which documents come never shows in the result.
"""
