"""How often claims are right, over populations of briefs whose truth is known."""
