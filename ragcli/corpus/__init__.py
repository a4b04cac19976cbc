"""Reads folders: scanning for files, reading documents, cutting them into chunks and passages."""
