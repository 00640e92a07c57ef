"""The kinds of API that models are called through, a module each; `registry` lists them."""
