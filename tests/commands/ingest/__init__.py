"""Tests of `stages/commands/ingest`."""
