"""Finds mentions in text, and reads what others have found.

In: the texts of chunks. Out: ``Extraction`` records, as bytes where they are stored (``codec``), in
processes for much text (``pool``). ``recorded`` turns a recorded file into findings. It may not
decide which mentions are the same entity: ``graph`` does.
"""
