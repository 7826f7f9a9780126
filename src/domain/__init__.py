"""What things are: frozen values and pure functions, without input or output."""
