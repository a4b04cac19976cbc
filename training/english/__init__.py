"""Training of the English pipeline; see README.md in this folder."""
