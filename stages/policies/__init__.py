"""What policies give, estimated from the stored answers of a run. Pure."""
