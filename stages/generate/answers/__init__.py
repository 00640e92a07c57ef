"""From an answer to the response of its cell, and the run manifest."""
