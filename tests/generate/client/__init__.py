"""Tests of `stages/generate/client`."""
