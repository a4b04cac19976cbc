"""Tests of ragcli.answer.lookup."""
