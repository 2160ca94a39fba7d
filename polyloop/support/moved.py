"""Old names of modules: what imported them before they got their rooms still works, with a warning.

One table serves ``import polyloop.schedule_tree``, "module:function" strings in files, and pickles alike: a finder
behind Python's own, which `polyloop` installs, answers an old name with the module that has taken its place.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType

_ROOMS = {
    "support": """
        files=files recent=recent libraries=libraries isl_limits=isl_limits
    """,
    "scop": """
        accesses=dependence dependence=dependence affine_isl=affine_isl inputs=data operations=operations
        source_text=program frontend.sets=affine_isl frontend.diagnostics=program scop.sets=affine_isl
        scop.diagnostics=program scop.accesses=dependence scop.source_text=program
    """,
    "frontend": """
        frontend.conditions=integers frontend.gnu=parse frontend.unknown_types=parse frontend.conditionals=preprocess
        frontend.macros=source frontend.names=scopes frontend.integer_calls=integer_reader frontend.delinearize=arrays
        frontend.live_counters=regions frontend.refusals=scopes
    """,
    "polyhedra": """
        integer_matrix=integer_matrix double_description=double_description generators=generators hulls=hulls
        generator_store=generator_store
    """,
    "schedules": """
        schedule_tree=tree schedule=rows legality=legality schedule_io=text isl_schedule=isl_trees
        isl_scheduler=isl_scheduler lanes_innermost=isl_scheduler distribution=isl_scheduler strides=tree
        schedules.proofs=legality schedules.lanes_innermost=isl_scheduler schedules.distribution=isl_scheduler
        schedules.strides=tree
    """,
    "spaces": """
        farkas=farkas space_dependences=dependences schedule_space=space space_generators=generators
        space_cycles=dependences spaces.cycles=dependences construction=construction exploration=exploration
        scheduling=scheduling walks=walks search.permutable=permutable
    """,
    "lowering": """
        order_check=order_check emit_c=to_c_file run_time_tests=run_time_tests
    """,
    "shaping": """
        search.nests=nests search.shapes=families search.packed=families shaping.packed=families
        search.variants=variants default_trace=default_trace
    """,
    "measure": """
        result=result measurement=jobs evaluators=schedules search.evaluation=evaluator cursor_evaluators=programs
        cursor.measuring=nests database=database measure.measurement=result
    """,
    "search.methods": """
        search.annealing=annealing search.beam=beam search.genetic=genetic search.greedy=greedy
        search.random_walks=random_walks search.tree_search=tree_search
    """,
    "search.schedule": """
        search.schedule_crossing=crossing search.schedule_objective=objective search.schedule_sampler=sampler
        search.schedule_search=searches search.heuristics=heuristics
    """,
    "search.cursor": """
        search.cursor_candidates=candidates search.cursor_objective=objective search.cursor_search=searches
        search.plans=plans search.scripted=scripted
    """,
    "show": """
        visualize=text drawing=svg
    """,
    "shipped": """
        kernels=kernels workloads=workloads
    """,
    "terminal": """
        cli.errors=errors cli.output=output cli.progress=output cli.option_types=option_types
        cli.sizes=option_types terminal.sizes=option_types cli.sources=sources
        cli.document=document cli.report=report cli.words=report terminal.words=report terminal.progress=output
    """,
    "": """
        optimizer=api cli.benchmarks=bench cli.explorer=explorer frontend.c_types=arithmetic
        frontend.conversions=arithmetic frontend.literals=arithmetic frontend.math_functions=arithmetic
        arithmetic.c_types=arithmetic arithmetic.conversions=arithmetic arithmetic.literals=arithmetic
        arithmetic.math_functions=arithmetic arithmetic.reductions=arithmetic
    """,
    "bench": """
        cli.benchmarks.figures=sampling cli.benchmarks.rank_correlation=sampling cli.benchmarks.plots=report
        cli.benchmarks.isolation=harness cli.benchmarks.verification=polybench cli.benchmarks.matmul_worker=matmul
        cli.benchmarks.operators_worker=operators cli.benchmarks.polygym_sizes=polygym_worker
    """,
    "backend.ir": """
        backend.affine=affine backend.expressions=expressions backend.loop_nest=loop_nest
        backend.vector_program=vector_program backend.interpreter=interpreter backend.libm=interpreter
        backend.contraction=expressions backend.counting=counting backend.names_used=traversal
        backend.planning.traversal=traversal backend.ir.names_used=traversal backend.ir.multiply_adds=expressions
        backend.ir.libm=interpreter
    """,
    "backend.planning": """
        backend.packing=packing backend.planning.bounds=facts backend.planning.known=facts
        backend.planning.pressure=registers backend.planning.reductions=vectors backend.planning.vector_choice=vectors
        backend.planning.emitter=values backend.planning.neighbours=reuse backend.planning.prefetching=memory
        backend.planning.transposes=lowering backend.planning.options=vectors backend.planning.simplify=tiles
        backend.planning.divisions=reuse
    """,
    "backend.c": """
        backend.c_analysis=arrays backend.c.analysis=arrays backend.c_arrays=arrays backend.c_header=header
        backend.c.versions=helpers
        backend.c_helpers=helpers backend.c_operations=operations backend.c_text=text backend.c_vectors=vectors
        backend.print_c=printer
    """,
    "backend.llvm": """
        backend.llvm_integers=integers backend.llvm_scopes=integers backend.llvm_values=values
        backend.print_llvm=printer backend.llvm.scopes=integers
    """,
    "backend.asm": """
        backend.asm_addresses=addresses backend.asm_integers=integers backend.asm_text=text backend.asm_values=values
        backend.assembly_facts=facts backend.print_asm=printer
    """,
    "backend.default": """
        backend.default_schedule=schedule backend.default_tiles=tiles backend.tensor_task=task
    """,
    "backend.machine": """
        backend.target=target backend.machine.descriptions=machine
    """,
    "backend.run": """
        backend.jit=jit backend.kernel=kernel backend.nest_kernel=nest_kernel backend.fast_call=fast_call
        backend.threads=jit backend.timing=timing backend.peak=peak backend.worker=worker
        backend.worker_main=worker_main backend.arguments=kernel backend.kept_files=kept_files
        backend.run.python_process=worker backend.run.arguments=kernel backend.run.threads=jit
    """,
    "transforms": """
        transforms.merge=tiling transforms.storage=scop_transform transforms.webs=expand transforms.in_place=relayout
    """,
    "search": """
        search.roundings=isl_search search.sizing=survey measure.sizing=survey
    """,
    "backend": """
        config=config
    """,
}
"""Room (below `polyloop`) -> "old=new ..." of its modules; a package's modules follow it."""

_MOVED: dict[str, str] = {}
"""Old name -> today's; filled when it is first asked."""


def _moved() -> dict[str, str]:
    if not _MOVED:
        for room, pairs in _ROOMS.items():
            for old, _, new in (pair.partition("=") for pair in pairs.split()):
                _MOVED[f"polyloop.{old}"] = ".".join(filter(None, ("polyloop", room, new)))
    return _MOVED


_NAMES = {"polyloop.scop": "polyloop.scop.model", "polyloop.lowering": "polyloop.lowering.to_nest"}
"""Modules that became packages of the same name -> where their contents are now."""

_CLASSES = {
    "polyloop.measure.schedules": {"Measuring": "polyloop.measure.measured_schedules:Measuring"},
    "polyloop.measure.programs": {"MeasuredPrograms": "polyloop.measure.measured_programs:MeasuredPrograms"},
    "polyloop.measure.database": {"Record": "polyloop.measure.result:Measurement"},
    "polyloop.measure.result": {"Timing": "polyloop.measure.result:Measurement"},
}
"""Classes that have left their modules since -> "module:class"; who imports the module by its old name finds them."""


def new_name(name: str) -> str | None:
    """Today's name of a module that has moved; None for every other one."""
    head, tail, moved = name, "", _moved()
    while head.startswith("polyloop."):
        if head in moved:
            return moved[head] + tail
        head, _, last = head.rpartition(".")
        tail = f".{last}{tail}"
    return None


def attribute(package: str, name: str) -> object:
    """What a module that is a package today had under a name; for the ``__getattr__`` of that package.

    Raises:
        AttributeError: if it had nothing of that name.
    """
    if not name.startswith("_"):
        try:
            value: object = getattr(import_module(_NAMES[package]), name)
        except AttributeError:
            pass
        else:
            _warn(f"{package}.{name}", f"{_NAMES[package]}.{name}", 3)
            return value
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def find_spec(name: str) -> ModuleSpec | None:
    """How the module of an old name is imported; None for every other name."""
    new = new_name(name)
    return None if new is None else ModuleSpec(name, _Alias(new))  # type: ignore[arg-type]  # has the methods


def _warn(old: str, new: str, level: int) -> None:
    warnings.warn(f"{old} is {new} now", DeprecationWarning, stacklevel=level + 1)


class _Alias:
    """Gives the module of another name; it has been executed under that one."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        _warn(spec.name, self._name, 1)
        self._module = import_module(self._name)
        self._spec, self._loader = self._module.__spec__, self._module.__loader__
        for old, place in _CLASSES.get(self._name, {}).items():
            module, _, name = place.partition(":")
            setattr(self._module, old, getattr(import_module(module), name))
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        # The import system has put this alias's spec into the module; its own comes back.
        module.__spec__, module.__loader__ = self._spec, self._loader
