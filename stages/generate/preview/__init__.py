"""What a run would call and what that would cost, before anything is called."""
