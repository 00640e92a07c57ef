"""The offline substitute for the OpenAI API: a drafter of graphs, characters, a loopback server."""
