"""Fits the score of short answers: see README.md."""
