"""TVM's MetaSchedule on one matrix product, in a process of its own: it writes the best kernel as a shared library.

References:
    Shao et al., "Tensor Program Optimization with Probabilistic Programs", NeurIPS 2022 (MetaSchedule). The design
    space is TVM's own for processors; with one thread its rule for parallel loops makes none.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Mapping
from typing import Any

from polyloop.backend.machine.host import host_target
from polyloop.bench.harness import refusing
from polyloop.errors import PolyloopError
from polyloop.support.files import WorkFolder

SYMBOL = "product"
"""The kernel's name; TVM puts `PREFIX` before it."""

PREFIX = "__tvm_ffi_"

_ROUND = 32
"""Candidates that are measured before the next are drawn."""

_PATIENCE = 120.0
"""Seconds for building or running one candidate; TVM's default of 30 is not always enough for loading its processes."""

_JOBS = 16
"""Parallel pieces for each thread, as TVM has it."""


@refusing
def work(job: Mapping[str, Any]) -> float:
    """Tune.

    Args:
        job: "m", "n", "k", "dtype", "threads", "trials", and "library": where the kernel goes.
    Returns:
        The seconds that the tuning took, without loading TVM.
    Raises:
        PolyloopError: if no candidate could be built and run.
    """
    tvm = importlib.import_module("tvm")
    tuning = importlib.import_module("tvm.s_tir.meta_schedule")
    module = _product(tvm, job)
    target = tvm.target.Target(processor(job["threads"]))
    began = time.monotonic()
    with WorkFolder() as folder:
        database = tuning.tune_tir(
            mod=module,
            target=target,
            work_dir=folder,
            max_trials_global=job["trials"],
            num_trials_per_iter=min(_ROUND, job["trials"]),
            space=_space(tuning, job["threads"]),
            builder=tuning.builder.LocalBuilder(timeout_sec=_PATIENCE, f_build=built),
            runner=tuning.runner.LocalRunner(timeout_sec=_PATIENCE),
        )
        seconds = time.monotonic() - began
        schedule = tuning.tir_integration.compile_tir(database, module, target)
        if schedule is None:
            raise PolyloopError(f"none of MetaSchedule's {job['trials']} candidates could be built and run")
        tvm.compile(schedule.mod, target).export_library(job["library"])
    return seconds


def processor(threads: int) -> dict[str, Any]:
    """TVM's words for the machine, without the features that it does not have or that we may not use either."""
    ours = host_target()
    absent = [feature for feature in ours.features.split(",") if feature.startswith("-")]
    return {"kind": "llvm", "mcpu": ours.cpu, "mattr": absent, "num-cores": threads}


def built(module: Any, target: Any, _parameters: object = None) -> Any:
    """TVM's `default_build`, but that it loads no intrinsics of all the processors there are: no candidate has any, and
    they take each of its processes 22 seconds, where others share the core so long that every candidate is given up."""
    transform = importlib.import_module("tvm.s_tir.transform")
    lowered = transform.RemoveWeightLayoutRewriteBlock(skip_tensor_rewrite=True)(module)
    return importlib.import_module("tvm.driver").build(lowered, target=target)


def _product(tvm: Any, job: Mapping[str, Any]) -> Any:
    te = importlib.import_module("tvm.te")
    m, n, k = job["m"], job["n"], job["k"]
    a, b = te.placeholder((m, k), job["dtype"], "A"), te.placeholder((k, n), job["dtype"], "B")
    along = te.reduce_axis((0, k), "k")
    c = te.compute((m, n), lambda i, j: te.sum(a[i, along] * b[along, j], axis=along), "C")
    function = te.create_prim_func([a, b, c]).with_attr("global_symbol", SYMBOL)
    return tvm.IRModule({SYMBOL: function})


def _space(tuning: Any, threads: int) -> Any:
    rules = []
    for rule in tuning.ScheduleRule.create("llvm"):
        if "ParallelizeVectorizeUnroll" in str(rule):
            jobs = _JOBS if threads > 1 else -1
            rule = tuning.schedule_rule.ParallelizeVectorizeUnroll(jobs, 64, [0, 16, 64, 512], True)
        rules.append(rule)
    return tuning.space_generator.PostOrderApply(sch_rules=rules, postprocs="llvm", mutator_probs="llvm")
