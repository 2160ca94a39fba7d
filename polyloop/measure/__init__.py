"""How good a program is: proven, compiled, compared and timed, or asked of a model."""
