"""Looking after an installation: doctor, checks, model files, bundles."""
