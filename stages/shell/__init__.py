"""The only general code that touches the outside: files, params, environment, the command line's manners."""
