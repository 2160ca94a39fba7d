"""Names from before modules moved."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

from polyloop.support import moved

OLD = {
    "polyloop.evaluators:Measuring": "polyloop.measure.measured_schedules:Measuring",
    "polyloop.evaluators:CostModel": "polyloop.measure.schedules:CostModel",
    "polyloop.cursor_evaluators:MeasuredPrograms": "polyloop.measure.measured_programs:MeasuredPrograms",
    "polyloop.database:Record": "polyloop.measure.result:Measurement",
    "polyloop.result:Timing": "polyloop.measure.result:Measurement",
}


def test_every_old_name_leads_to_a_module_that_is_there() -> None:
    """Whose own name is no old one: nobody is sent twice."""
    for old, new in moved._moved().items():
        assert importlib.util.find_spec(new) is not None, (old, new)
        assert moved.new_name(new) in (None, new), (old, new)


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
