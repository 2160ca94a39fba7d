"""What commands, explorer and benches share: sources, options, output, reports."""
