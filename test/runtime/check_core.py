#!/usr/bin/python3
"""check_core.py LLVM_DIS BITCODE: checks runtime/core in models. It must
define the functions of core.h, call only memcpy and memmove, be inlinable
anywhere, and contain no path."""
import re
import subprocess
import sys

ir = subprocess.run([sys.argv[1], sys.argv[2], "-o", "-"], check=True,
                    capture_output=True, text=True).stdout
defined = set(re.findall(r"^define .*@(tenon_core_\w+)\(", ir, re.M))
declared = set(re.findall(r"^declare .*@([\w.]+)\(", ir, re.M))
types = "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64".split()
expected = ({"tenon_core_begin", "tenon_core_end", "tenon_core_fault",
             "tenon_core_parallel",
             "tenon_core_nms", "tenon_core_version",
             "tenon_core_top_begin", "tenon_core_top_take",
             "tenon_core_top_end"} |
            {"tenon_core_sort_" + t for t in types} |
            {"tenon_core_top_" + t for t in types})
wrong = []
if defined != expected:
    wrong.append(f"defined and expected differ: {defined ^ expected}")
foreign = {d for d in declared
           if not d.startswith("llvm.") and d not in ("memcpy", "memmove")}
if foreign:
    wrong.append(f"calls {foreign}")
if "no-builtins" in ir or "noinline" in ir:
    wrong.append("cannot be inlined into ordinary functions")
paths = re.findall(r'"([^"]*/[^"]*)"', ir)
if paths:
    wrong.append(f"names {paths[:3]}")
print("\n".join(wrong) or f"{len(defined)} functions")
sys.exit(bool(wrong))
