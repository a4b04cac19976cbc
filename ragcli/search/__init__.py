"""Searches a store by vector, by word and by graph, and writes the derived files for this.

In: a snapshot, and a vector, words or rows. Out: rows with scores, and records for them
(``search_index``). ``scoped_index`` shows only the rows of some documents. With ``store``, this is
the only package with SQL. It may not know what a question asks.
"""
