"""What the stages and the commands share."""
