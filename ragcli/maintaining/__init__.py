"""Maintenance of an installation: doctor, checks, model files, bundles."""
