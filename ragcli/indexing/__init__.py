"""The steps of ``index`` and ``update``: from folders to a committed generation of the store.

In: an ``IndexRequest`` and models. Out: an ``IndexResult``, and one new generation for all readers
at once (``commit``). An update ends with the digest of a fresh index, with any number of workers.
It calls the other packages and implements no algorithm.
"""
