#!/usr/bin/python3
"""Tests training in SavedModels: a signature that takes a batch, and variables
that each run changes.

`network` trains a convolution, a batch normalization and a dense layer by
Adam, with the nodes that TensorFlow writes for their gradients. The loss and
all variables must agree with PyTorch after each step. `rules` tests the
optimizers one by one, dense and sparse, against their definitions in numpy.

    check_training.py --build=BUILD [--only=WORDS]
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch

from graph_text import SOURCE, Function, Type, constant, function, node, \
    placeholder, quote, TYPES

STEPS = 4
RANDOM = np.random.RandomState(3)
F32, I32, I64 = Type(np.float32), Type(np.int32), Type(np.int64)


def draw(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


#===-- Files -----------------------------------------------------------===#


def port(key, tensor, dtype, shape):
    dims = " ".join(f"dim {{ size: {d} }}" for d in shape)
    return (f"{{ key: {quote(key)} value {{ name: {quote(tensor)} dtype: "
            f"{TYPES[np.dtype(dtype).name]} tensor_shape {{ {dims} }} }} }}")


def signature(name, inputs, outputs):
    """A signature. `inputs` are (key, dtype, shape), each the placeholder
    NAME_KEY; outputs are (key, tensor)."""
    text = " ".join([
        *(f"inputs {port(key, f'{name}_{key}:0', dtype, shape)}"
          for key, dtype, shape in inputs),
        *(f"outputs {port(key, tensor, np.float32, [])}"
          for key, tensor in outputs)])
    return f"signature_def {{ key: {quote(name)} value {{ {text} }} }}\n"


def variable(name, array):
    return node(name, "VarHandleOp", dtype=Type(array.dtype))


def write_model(folder, signatures, nodes, library, variables):
    text = ("saved_model_schema_version: 1 meta_graphs { meta_info_def { "
            'tags: "serve" }\n' + "".join(signatures) + "graph_def {\n" +
            "".join(f"node {{ {n} }}\n" for n in nodes) +
            f"library {{ {library} }} }} }}")
    source = folder + ".txt"
    with open(source, "w") as file:
        file.write(text)
    values = []
    for name, array in variables.items():
        kind = {"float32": "f32", "int64": "i64"}[array.dtype.name]
        numbers = ",".join(repr(v) for v in array.reshape(-1).tolist())
        values.append(f"{name}={kind}:{'x'.join(map(str, array.shape))}:"
                      f"{numbers}")
    subprocess.run([sys.executable, os.path.join(
        SOURCE, "lit/Inputs/saved_model.py"), source, "-o", folder, *values],
        check=True)


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: "
                           f"{done.stdout.decode(errors='replace').strip()}")


def outputs_after(tenon, artifact, folder, entry, steps, inputs):
    given = os.path.join(folder, "in.npz")
    made = os.path.join(folder, "out.npz")
    np.savez(given, **inputs)
    call(tenon, "run", "-q", artifact, f"--function={entry}",
         f"--inputs={given}", f"--outputs={made}", f"--repeat={steps}")
    return dict(np.load(made))


def compare(case, want, got, tolerance):
    for name, expected in want.items():
        found = got[name]
        if found.shape != expected.shape or not np.allclose(
                found, expected, rtol=tolerance, atol=tolerance):
            worst = np.abs(found - expected).max() \
                if found.shape == expected.shape else found.shape
            return f"{case}: {name} differs by {worst}"
    return None


#===-- A network -------------------------------------------------------===#

PARAMETERS = {
    "kernel": draw(3, 3, 2, 4) / 3, "scale": 1 + draw(4) / 4,
    "offset": draw(4) / 4, "weights": draw(64, 5) / 8, "bias": draw(5) / 8}
KEPT = {"mean": draw(4) / 4, "variance": 1 + draw(4) / 8}
RATE, BETAS, EPSILON, MOMENTUM = .01, (.9, .999), 1e-9, .9


def network(folder):
    """The nodes of one step: the layers in order, then their gradients."""
    nodes = []

    def add(name, op, *inputs, after=(), **attributes):
        nodes.append(node(name, op, [*inputs, *(f"^{a}" for a in after)],
                          **attributes))
        return f"{name}:o:0"

    def number(name, value, dtype=np.float32):
        nodes.append(constant(name, np.array(value, dtype)))
        return f"{name}:o:0"

    read = {name: add(f"read_{name}", "ReadVariableOp", name, dtype=F32)
            for name in [*PARAMETERS, *KEPT]}
    convolution = dict(strides=[1, 1, 1, 1], padding="SAME")
    pool = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    conv = add("conv", "Conv2D", "x", read["kernel"], **convolution)
    none = number("none", [])
    add("norm", "FusedBatchNormV3", conv, read["scale"], read["offset"], none,
        none, epsilon=1e-3)
    relu = add("relu", "Relu", "norm:y:0")
    pooled = add("pool", "MaxPool", relu, **pool)
    flat = add("flat", "Reshape", pooled, number("flat_shape", [-1, 64],
                                                 np.int32))
    product = add("product", "MatMul", flat, read["weights"])
    logits = add("logits", "BiasAdd", product, read["bias"])
    add("entropy", "SparseSoftmaxCrossEntropyWithLogits", logits, "labels")
    axis = number("axis", [0], np.int32)
    loss = add("loss", "Mean", "entropy:loss:0", axis)
    # The mean's gradient: one, divided by the number of elements.
    shape = add("shape", "Shape", "entropy:loss:0")
    loss_shape = add("loss_shape", "Shape", loss)
    zero = number("zero", [0], np.int32)
    count = add("count", "FloorDiv", add("all", "Prod", shape, zero), add(
        "some", "Maximum", add("few", "Prod", loss_shape, zero),
        number("one_i", 1, np.int32)))
    tiled = add("tiled", "Tile", add("one_each", "Reshape", number("one", 1.0),
                                     number("one_shape", [1], np.int32)),
                shape)
    spread = add("spread", "RealDiv", tiled, add("count_f", "Cast", count,
                                                 DstT=F32))
    dlogits = add("dlogits", "Mul", add("column", "ExpandDims", spread, number(
        "last", -1, np.int32)), "entropy:backprop:0")
    gradients = {"bias": add("dbias", "BiasAddGrad", dlogits)}
    gradients["weights"] = add("dweights", "MatMul", flat, dlogits,
                               transpose_a=True)
    dflat = add("dflat", "MatMul", dlogits, read["weights"], transpose_b=True)
    dpool = add("dpool", "Reshape", dflat, add("pool_shape", "Shape", pooled))
    drelu = add("drelu", "MaxPoolGrad", relu, pooled, dpool, **pool)
    dnorm = add("dnorm", "ReluGrad", drelu, relu)
    add("back", "FusedBatchNormGradV3", dnorm, conv, read["scale"],
        "norm:reserve_space_1:0", "norm:reserve_space_2:0",
        "norm:reserve_space_3:0", epsilon=1e-3)
    gradients["scale"] = "back:scale_backprop:0"
    gradients["offset"] = "back:offset_backprop:0"
    # The gradient of the input is computed too, as for a first layer.
    gradients["kernel"] = add(
        "dkernel", "Conv2DBackpropFilter", "x",
        number("kernel_shape", [3, 3, 2, 4], np.int32), "back:x_backprop:0",
        **convolution)
    dx = add("dx", "Conv2DBackpropInput", add("x_shape", "Shape", "x"),
             read["kernel"], "back:x_backprop:0", **convolution)
    # Adam with powers computed from the number of steps, as Keras writes it.
    add("count_steps", "AssignAddVariableOp", "step", number("one_l", 1,
                                                             np.int64))
    step = add("step_f", "Cast", add("step_now", "ReadVariableOp", "step",
                                     after=["count_steps"], dtype=I64),
               DstT=F32)
    rates = [number(f"beta{i}", beta) for i, beta in enumerate(BETAS)]
    powers = [add(f"power{i}", "Pow", rate, step)
              for i, rate in enumerate(rates)]
    writes = ["count_steps"]
    for name, gradient in gradients.items():
        add(f"adam_{name}", "ResourceApplyAdam", name, f"{name}_m",
            f"{name}_v", *powers, "rate:o:0", *rates, "epsilon:o:0", gradient)
        writes.append(f"adam_{name}")
    number("rate", RATE)
    number("epsilon", EPSILON)
    share = number("share", 1 - MOMENTUM)
    for name, batch in (("mean", "batch_mean"), ("variance",
                                                 "batch_variance")):
        change = add(f"change_{name}", "Mul", add(
            f"away_{name}", "Sub", read[name], f"norm:{batch}:0"), share)
        add(f"move_{name}", "AssignSubVariableOp", name, change)
        writes.append(f"move_{name}")
    results = [add("loss_out", "Identity", loss, after=writes),
               add("dx_out", "Identity", dx)]
    names = [*PARAMETERS, *KEPT]
    for name in names:
        results.append(add(f"new_{name}", "ReadVariableOp", name, after=writes,
                           dtype=F32))
    variables = {**PARAMETERS, **KEPT, "step": np.array(0, np.int64)}
    for name, array in PARAMETERS.items():
        variables[f"{name}_m"] = np.zeros_like(array)
        variables[f"{name}_v"] = np.zeros_like(array)
    library = function("step_function", ["x", "labels", *variables],
                       ["loss", "dx", *names], nodes, results)
    graph = [placeholder("train_x", np.float32, [-1, 8, 8, 2]),
             placeholder("train_labels", np.int32, [-1]),
             *(variable(name, array) for name, array in variables.items()),
             node("call", "StatefulPartitionedCall", [
                 "train_x", "train_labels", *variables],
                 f=Function("step_function"))]
    train = signature("train", [("x", np.float32, [-1, 8, 8, 2]),
                                ("labels", np.int32, [-1])],
                      [(key, f"call:{i}") for i, key in enumerate(
                          ["loss", "dx", *names])])
    write_model(folder, [train], graph, library, variables)


def torch_steps(x, labels):
    """The expected results of `network` after each step."""
    to = {name: torch.tensor(array) for name, array in PARAMETERS.items()}
    to["kernel"] = to["kernel"].permute(3, 2, 0, 1).contiguous()
    leaves = {name: value.requires_grad_() for name, value in to.items()}
    kept = {name: torch.tensor(array) for name, array in KEPT.items()}
    optimizer = torch.optim.Adam(leaves.values(), RATE, BETAS, EPSILON)
    for _ in range(STEPS):
        image = torch.tensor(x).permute(0, 3, 1, 2).requires_grad_()
        y = torch.nn.functional.conv2d(image, leaves["kernel"], padding=1)
        y = torch.nn.functional.batch_norm(
            y, kept["mean"], kept["variance"], leaves["scale"],
            leaves["offset"], True, 1 - MOMENTUM, 1e-3)
        y = torch.nn.functional.max_pool2d(torch.relu(y), 2)
        y = y.permute(0, 2, 3, 1).reshape(len(x), -1)
        loss = torch.nn.functional.cross_entropy(
            y @ leaves["weights"] + leaves["bias"],
            torch.tensor(labels, dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        result = {**leaves, **kept, "loss": loss}
        result = {name: value.detach().numpy().copy()
                  for name, value in result.items()}
        result["kernel"] = result["kernel"].transpose(2, 3, 1, 0)
        result["dx"] = image.grad.permute(0, 2, 3, 1).numpy()
        yield result


def check_network(options, folder):
    tenon = os.path.join(options.build, "bin", "tenon")
    model = os.path.join(folder, "network")
    network(model)
    artifact = model + ".so"
    call(tenon, "compile", "-q", model, "-o", artifact, "--signature=train")
    for batch in (6, 1):
        x, labels = draw(batch, 8, 8, 2), RANDOM.randint(0, 5, batch)
        inputs = {"x": x, "labels": labels.astype(np.int32)}
        for step, want in enumerate(torch_steps(x, labels), 1):
            got = outputs_after(tenon, artifact, folder, "train", step, inputs)
            yield compare(f"network, batch {batch}, step {step}", want, got,
                          1e-4)
    call(tenon, "verify", "-q", model, "--signature=train", "--dim=batch=3")


#===-- Optimizers ------------------------------------------------------===#


def adam(v, g, p1, p2, rate, b1, b2, e, amsgrad=False, nesterov=False):
    v[1] += (1 - b1) * (g - v[1])
    v[2] += (1 - b2) * (g * g - v[2])
    square = v[2]
    if amsgrad:
        square = v[3] = np.maximum(v[3], v[2])
    mean = g * (1 - b1) + b1 * v[1] if nesterov else v[1]
    v[0] -= rate * np.sqrt(1 - p2) / (1 - p1) * mean / (np.sqrt(square) + e)


def ada_max(v, g, p1, rate, b1, b2, e):
    v[1] += (1 - b1) * (g - v[1])
    v[2] = np.maximum(b2 * v[2], np.abs(g))
    v[0] -= rate / (1 - p1) * v[1] / (v[2] + e)


def momentum(v, g, rate, m, nesterov=False):
    v[1] = v[1] * m + g
    v[0] -= rate * (g + m * v[1] if nesterov else v[1])


def keras_momentum(v, g, rate, m, nesterov=False):
    v[1] = v[1] * m - rate * g
    v[0] += m * v[1] - rate * g if nesterov else v[1]


def rms_prop(v, g, rate, rho, m, e):
    v[1] += (1 - rho) * (g * g - v[1])
    v[2] = v[2] * m + rate * g / np.sqrt(v[1] + e)
    v[0] -= v[2]


def centered(v, g, rate, rho, m, e):
    v[1] += (1 - rho) * (g - v[1])
    v[2] += (1 - rho) * (g * g - v[2])
    v[3] = v[3] * m + rate * g / np.sqrt(v[2] - v[1] ** 2 + e)
    v[0] -= v[3]


def adagrad(v, g, rate, e=0, update_slots=True):
    if update_slots:
        v[1] += g * g
    v[0] -= rate * g / (np.sqrt(v[1]) + e)


def adadelta(v, g, rate, rho, e):
    v[1] = rho * v[1] + (1 - rho) * g * g
    step = np.sqrt(v[2] + e) / np.sqrt(v[1] + e) * g
    v[2] = rho * v[2] + (1 - rho) * step * step
    v[0] -= rate * step


def ftrl(v, g, rate, l1, l2, *rest):
    shrinkage, power = rest if len(rest) == 2 else (0, *rest)
    after, before = (v[1] + g * g) ** -power, v[1] ** -power
    v[2] += g + 2 * shrinkage * v[0] - (after - before) / rate * v[0]
    v[1] += g * g
    v[0] = np.where(np.abs(v[2]) > l1, (np.sign(v[2]) * l1 - v[2]) / (
        after / rate + 2 * l2), 0)


# Rule, number of variables, rates, number of rates before the gradient, flags.
RULES = {
    "GradientDescent": (lambda v, g, rate: v.__setitem__(0, v[0] - rate * g),
                        1, [.1], 1, {}),
    "Adam": (adam, 3, [.81, .998, .1, .9, .999, 1e-3], 6, {}),
    "Adam nesterov": (adam, 3, [.81, .998, .1, .9, .999, 1e-3], 6,
                      {"nesterov": True}),
    "AdamWithAmsgrad": (lambda *a: adam(*a, amsgrad=True), 4,
                        [.81, .998, .1, .9, .999, 1e-3], 6, {}),
    "AdaMax": (ada_max, 3, [.81, .1, .9, .999, 1e-3], 5, {}),
    "Momentum": (momentum, 2, [.1, .9], 1, {}),
    "Momentum nesterov": (momentum, 2, [.1, .9], 1, {"nesterov": True}),
    "KerasMomentum": (keras_momentum, 2, [.1, .9], 1, {}),
    "KerasMomentum nesterov": (keras_momentum, 2, [.1, .9], 1,
                               {"nesterov": True}),
    "RMSProp": (rms_prop, 3, [.1, .9, .8, 1e-2], 4, {}),
    "CenteredRMSProp": (centered, 4, [.1, .9, .8, 9.0], 4, {}),
    "Adagrad": (adagrad, 2, [.1], 1, {}),
    "Adagrad kept": (adagrad, 2, [.1], 1, {"update_slots": False}),
    "AdagradV2": (adagrad, 2, [.1, 1e-2], 2, {}),
    "Adadelta": (adadelta, 3, [.1, .9, 1e-2], 3, {}),
    "Ftrl": (ftrl, 3, [.1, .2, .3, -.5], 0, {}),
    "FtrlV2": (ftrl, 3, [.1, .2, .3, .4, -.6], 0, {}),
}
NOT_SPARSE = ("GradientDescent", "Adam", "AdamWithAmsgrad", "AdaMax")


class Rules:
    """A model with one signature per rule, and the expected results."""

    def __init__(self):
        self.signatures, self.nodes, self.variables = [], [], {}
        self.cases = []
        for name, rule in RULES.items():
            op = name.split()[0]
            self.add(name, f"ResourceApply{op}", *rule)
            if op not in NOT_SPARSE:
                self.add(name, f"ResourceSparseApply{op}", *rule, rows=[3, 0])
        self.add("reference", "ApplyMomentum", *RULES["Momentum"],
                 handle="VariableV2")
        for op, change in {
                "Update": lambda v, g: g, "Add": lambda v, g: v + g,
                "Sub": lambda v, g: v - g, "Mul": lambda v, g: v * g,
                "Max": np.maximum, "Min": np.minimum}.items():
            self.add(op, f"ResourceScatter{op}", lambda v, g, f=change:
                     v.__setitem__(0, f(v[0], g)), 1, [], 0, {}, rows=[2, 1],
                     rows_first=True)

    def add(self, name, op, rule, count, rates, before, flags, rows=None,
            handle="VarHandleOp", rows_first=False):
        entry = f"s{len(self.cases)}"
        gradient = draw(len(rows) if rows else 4, 3)
        values = [np.abs(draw(4, 3)) + .1 if i else draw(4, 3)
                  for i in range(count)]
        own = [f"{entry}_v{i}" for i in range(count)]
        for key, array in zip(own, values):
            self.variables[key] = array
            self.nodes.append(node(key, handle, dtype=F32))
        operands = []
        for i, rate in enumerate(rates):
            operands.append(f"{entry}_r{i}")
            self.nodes.append(constant(operands[-1], np.float32(rate)))
        gradients = [f"{entry}_g"]
        self.nodes.append(placeholder(gradients[0], np.float32, [-1, 3]))
        if rows:
            gradients.insert(0 if rows_first else 1, f"{entry}_at")
            self.nodes.append(constant(f"{entry}_at", np.array(rows,
                                                               np.int64)))
        operands[before:before] = gradients
        attributes = {("use_nesterov" if key == "nesterov" else key): value
                      for key, value in flags.items()}
        self.nodes.append(node(f"{entry}_do", op, [*own, *operands],
                               **attributes))
        read = "Identity" if handle == "VariableV2" else "ReadVariableOp"
        for key in own:
            self.nodes.append(node(f"{key}_new", read, [
                key, f"^{entry}_do"], dtype=F32))
        self.signatures.append(signature(
            entry, [("g", np.float32, [-1, 3])],
            [(f"v{i}", f"{key}_new:0") for i, key in enumerate(own)]))
        chosen = rows if rows else slice(None)
        state = [value[chosen].astype(np.float64) for value in values]
        for _ in range(STEPS):
            rule(state, gradient.astype(np.float64), *rates, **flags)
        want = {}
        for i, (value, changed) in enumerate(zip(values, state)):
            want[f"v{i}"] = value.copy()
            want[f"v{i}"][chosen] = changed
        self.cases.append((f"{op} ({name})", entry, gradient, want))


def check_rules(options, folder):
    tenon = os.path.join(options.build, "bin", "tenon")
    model = os.path.join(folder, "rules")
    rules = Rules()
    write_model(model, rules.signatures, rules.nodes, "", rules.variables)
    artifact = model + ".so"
    call(tenon, "compile", "-q", model, "-o", artifact, "--all-signatures")
    for case, entry, gradient, want in rules.cases:
        if options.only not in case:
            continue
        got = outputs_after(tenon, artifact, folder, entry, STEPS,
                            {"g": gradient})
        yield compare(case, want, got, 1e-4)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.set_num_threads(1)
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="tenon-") as folder:
        for check in (check_network, check_rules):
            try:
                for wrong in check(options, folder):
                    passed += wrong is None
                    failed += wrong is not None
                    if wrong:
                        print(wrong)
            except RuntimeError as error:
                failed += 1
                print(error)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
