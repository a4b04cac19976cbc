"""A read-only server of the Model Context Protocol, over standard input or HTTP on this machine.

In: messages of an assistant. Out: replies made by the Python API. Each call opens the newest state
of the store, in a process with a time limit. It may not write to a store, listen on another address
than the loopback, or open a connection.
"""
