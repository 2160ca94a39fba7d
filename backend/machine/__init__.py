"""The machine that code is generated for."""
