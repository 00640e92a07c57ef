"""The records that one stage hands to the next: frozen, typed, pure."""
