"""Reads folders: lists files, reads documents, cuts them into chunks and passages.

In: paths and patterns. Out: ``ParsedDocument`` records and ``Chunk`` records with exact offsets, or
``Skipped`` and ``ReadError`` with the reason. It uses no model that understands text and does not
know the store. A file may be hostile: reading must end, and must open nothing else.
"""
