"""The data of the reports: the frame of cells and the tables made from it."""
