"""The command line. Results go to standard output, progress and diagnostics to standard error."""
