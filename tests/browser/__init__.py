"""The site in a real Chromium."""
