"""Reports: the numbers, the pictures and the drafted graphs themselves."""
