"""Models: one owner for each heavy library, and no network for any of them.

Importing this package imports nothing heavy. It does close the network for the libraries that
its modules import later (``offline``), so that no owner can forget to.
"""

from ragcli.models.offline import go_offline

go_offline()
