#!/usr/bin/python3
"""A compiled checkpoint with an encoder as a measured program, by the Python
package. Arguments: BUILD ARTIFACT THREADS BEAMS WHAT MANIFEST.

Follows the protocol of caller.h. The manifest has the inputs of `start` and the
output `sequences` [new]. WHAT is measured: `first`, the encoder and the prompt;
`steps`, the prompt and the tokens after it, with the encoder's results of the
call before; or all as `call`.
"""
import sys
import time

import numpy as np


def read_manifest(path):
    inputs, outputs = {}, {}
    with open(path) as manifest:
        for line in manifest:
            kind, name, dtype, rank, *rest = line.rstrip("\n").split(" ")
            dims = [int(d) for d in rest[:int(rank)]]
            file = " ".join(rest[int(rank):])
            if kind == "input":
                inputs[name] = np.fromfile(file, dtype).reshape(dims)
            else:
                outputs[name] = dims, file
    return inputs, outputs


class Call:
    """The end token never comes, so that all programs make as many steps."""

    def __init__(self, model, given, beams, fresh):
        self.fresh = fresh
        wanted = {"rows": beams, "items": 1,
                  "positions": given["ids"].shape[1] + fresh}
        if "encoder_ids" in given:
            wanted["encoder_positions"] = given["encoder_ids"].shape[1]
        self.context = model.context(extents={
            extent.name: wanted[extent.name]
            for extent in model.context_extents if extent.name in wanted})
        count = np.array(fresh)
        options = {"num_beams": np.array(beams), "max_new_tokens": count,
                   "min_new_tokens": count, "timestamps": np.bool_(False),
                   "suppress_tokens": np.zeros(0, np.int64),
                   "begin_suppress_tokens": np.zeros(0, np.int64)}
        known = {tensor.name for tensor in model["start"].inputs}
        self.given = {**given, **{name: value for name, value in
                                  options.items() if name in known}}

    def start(self, keep):
        self.context["start"](**self.given, keep_encoder=np.bool_(keep))

    def run(self, what):
        self.start(what == "steps")
        if what != "first":
            self.context["advance"](steps=self.fresh)

    def sequence(self):
        return np.array(self.context["result"]()["sequences"])[0]


def main():
    build, artifact, threads, beams, what, manifest = sys.argv[1:]
    sys.path.insert(0, f"{build}/python")
    import tenon
    given, outputs = read_manifest(manifest)
    (fresh,), file = outputs["sequences"]
    call = Call(tenon.load(artifact, threads=int(threads)), given, int(beams),
                fresh)
    call.start(False)
    print("ready", flush=True)
    for line in sys.stdin:
        verb, *numbers = line.split()
        if verb == "run":
            groups, calls = map(int, numbers)
            best = float("inf")
            for _ in range(groups):
                start = time.perf_counter()
                for _ in range(calls):
                    call.run(what)
                best = min(best, (time.perf_counter() - start) / calls)
            print(1e3 * best, flush=True)
        else:
            call.run("call")
            call.sequence().astype(np.int64).tofile(file)
            print("written", flush=True)


if __name__ == "__main__":
    main()
