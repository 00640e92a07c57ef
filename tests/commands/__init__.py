"""Tests of `stages/commands`."""
