"""Scripts for releases and documentation; none is part of the package."""
