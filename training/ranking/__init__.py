"""Fits the ranking of passages: see README.md."""
