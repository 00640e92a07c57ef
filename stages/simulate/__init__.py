"""The offline substitute for the OpenAI API: a drafter of decision graphs, characters, and a loopback HTTP server."""
