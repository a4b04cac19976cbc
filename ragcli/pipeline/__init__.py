"""The straight lines: index (and update), ask, evaluate. Start reading here."""
