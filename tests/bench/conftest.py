from tests.helpers.commands import _in_an_empty_folder, fixed_optimizer, run, scale

__all__ = ["_in_an_empty_folder", "fixed_optimizer", "run", "scale"]
