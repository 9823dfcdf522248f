"""What the register does by itself, on a clock. A job calls the register as a door does."""
