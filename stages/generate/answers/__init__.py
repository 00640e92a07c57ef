"""What an API answered: its body read once, the JSON in its text, structured output."""
