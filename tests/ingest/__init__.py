"""Tests of `stages/ingest`."""
