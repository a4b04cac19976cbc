"""Looks after an installation: doctor, the check of a store, model files, bundles.

In: a store, models and the machine. Out: findings with a hint for each, or a file to carry to
another machine. It may not index or ask. ``doctor`` runs where libraries are missing.
"""
