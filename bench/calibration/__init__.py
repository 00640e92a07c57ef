"""Whether the intervals cover what they say and the verdicts err as rarely as they say, over populations with known truth."""
