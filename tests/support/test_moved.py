"""Names from before modules moved."""

from __future__ import annotations

import subprocess
import sys

OLD = {
    "polyloop.evaluators:Measuring": "polyloop.measure.measured_schedules:Measuring",
    "polyloop.evaluators:CostModel": "polyloop.measure.schedules:CostModel",
    "polyloop.cursor_evaluators:MeasuredPrograms": "polyloop.measure.measured_programs:MeasuredPrograms",
    "polyloop.database:Record": "polyloop.measure.measurement:Measurement",
    "polyloop.result:Timing": "polyloop.measure.measurement:Measurement",
}


def test_classes_are_found_under_the_old_names_of_their_modules() -> None:
    code = f"""
import pkgutil
import warnings
import polyloop
warnings.simplefilter("ignore", DeprecationWarning)
for old, new in {OLD}.items():
    assert pkgutil.resolve_name(old) is pkgutil.resolve_name(new), old
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
