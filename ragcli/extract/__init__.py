"""Extracts mentions, entities and relations from text."""
