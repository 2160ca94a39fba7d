"""`python -m polyloop` is the command `polyloop`."""

from __future__ import annotations

import sys

from polyloop.cli.main import main

sys.exit(main())
