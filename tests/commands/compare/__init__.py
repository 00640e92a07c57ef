"""Tests of `stages/commands/compare`."""
