"""What writes the shipped files that are made from code: schemas, the reference, parts of the README."""
