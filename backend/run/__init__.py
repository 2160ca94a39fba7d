"""From programs to running code: compiled, called, timed, in this process or a worker."""
