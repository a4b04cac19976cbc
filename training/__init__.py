"""Programs that make the models shipped with ragcli; none of them is part of the package."""
