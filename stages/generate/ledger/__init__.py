"""The store of every answer ever paid for."""
