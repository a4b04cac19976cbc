"""Tests of ragcli.answer."""
