"""Which rooms of passes/ and compiler/ may include which: the tables and the
rules that read them. A room is a folder; its table lists it below every room
that it may include, so no circle can be written.
"""
import os

# The rooms of passes/ and what each may include beside itself and dialects/.
# A room may include only rooms above it: there is no circle.
PASS_ROOMS = {
    "passes/kernel/numerics": [],
    "passes/kernel": [],
    "passes/kernel/element": ["passes/kernel/numerics", "passes/kernel"],
    "passes/kernel/rows": ["passes/kernel/numerics", "passes/kernel",
                           "passes/kernel/element"],
    "passes/kernel/index": ["passes/kernel/numerics", "passes/kernel",
                            "passes/kernel/element"],
    "passes/kernel/attention": ["passes/kernel/numerics", "passes/kernel",
                                "passes/kernel/element"],
    "passes/kernel/nest": ["passes/kernel/numerics", "passes/kernel",
                           "passes/kernel/element"],
    "passes/graph": [],
    "passes/shape": [],
    "passes/fuse": [],
    "passes/buffer": [],
    "passes/host": ["passes/kernel"],
    "passes/cpu/tile": ["passes/kernel"],
    "passes/cpu/gemm": ["passes/kernel", "passes/cpu/tile"],
    "passes/cpu/amx": ["passes/kernel", "passes/cpu/tile"],
    "passes/cpu/attention": ["passes/kernel", "passes/cpu/tile"],
    "passes/cpu/depthwise": ["passes/kernel", "passes/cpu/tile"],
    "passes/cpu/map": ["passes/kernel"],
    "passes/cpu/narrow": ["passes/kernel", "passes/cpu/tile"],
    "passes/cpu": ["passes/kernel", "passes/cpu"],
    "passes/gpu": ["passes/kernel"],
}


def room(path):
    """The folder of PASS_ROOMS that `path` is in, else its first folder."""
    folder = os.path.dirname(path)
    if folder.startswith("passes/") and folder not in PASS_ROOMS:
        return None
    return folder if folder in PASS_ROOMS else path.split("/")[0]


def may_include(inner, outer):
    """True if files of room `inner` may include files of room `outer`; a room
    that is allowed as a whole is allowed with the rooms inside it, except to
    these rooms themselves."""
    if inner == outer:
        return True
    return any(outer == to or (outer.startswith(to + "/") and
                               not inner.startswith(to + "/"))
               for to in PASS_ROOMS[inner])


def layer_complaints(included):
    """Includes that turn an arrow between layers, or between rooms of passes/,
    back. `included` maps a path to the headers that it includes."""
    ours = {"dialects", "passes", "compiler", "runtime", "tokenizers", "tools",
            "test"}
    reach = {
        "dialects": {"dialects"},
        "passes": {"dialects"},
        "compiler": {"compiler", "passes", "dialects"},
        "runtime": {"runtime"},
        "tokenizers": {"tokenizers"},
        "tools": {"tools", "compiler", "passes", "dialects", "runtime",
                  "tokenizers"},
    }
    above = []
    for folder, others in PASS_ROOMS.items():
        above.append(folder)
        for other in others:
            if other not in above:
                yield f"PASS_ROOMS: {other} stands below {folder}"
    for path, headers in included.items():
        layer = path.split("/")[0]
        if room(path) is None:
            yield f"{path}: its folder is no room of PASS_ROOMS"
            continue
        for header in headers:
            top = header.split("/")[0]
            if "/" not in header or top not in ours:
                continue
            joint = header in ("runtime/tenon_abi.h", "runtime/tenon_note.h",
                               "runtime/seal.h", "runtime/xxh64.h",
                               "runtime/core/embedded.h")
            if layer == "compiler" and joint:
                continue
            # Generated entries read the fields of tenon_call, so they include
            # the ABI.
            if room(path) == "passes/host" and header == "runtime/tenon_abi.h":
                continue
            if layer == "passes" and top == "passes":
                to = room(header)
                if to is None or not may_include(room(path), to):
                    yield f"{path}: the room {room(path)} includes {header}"
            elif top not in reach[layer]:
                yield f"{path}: {layer} includes {header}"


def size_complaints(paths):
    """Rooms of passes/cpu with more than 25 of `paths`."""
    for folder in PASS_ROOMS:
        files = [f for f in paths if os.path.dirname(f) == folder]
        if folder.startswith("passes/cpu") and len(files) > 25:
            yield f"{folder}: {len(files)} files"


# The rooms of compiler/ that each room includes. A room names only rooms above
# its own row, so the includes have no cycle; "" is the facade.
BUILDERS = "import import/graph import/sizes "
COMPILER_ROOMS = {
    "options": "",
    "report": "options",
    "files": "report",
    "wire": "files report",
    "arithmetic": "",
    "import/graph": "",
    "import/sizes": "import/graph",
    "import": "import/graph import/sizes options report",
    "import/huggingface/reader": "files report",
    "import/huggingface/blocks": "import/graph import/huggingface/reader",
    "import/huggingface/models":
        "import/graph import/huggingface/reader import/huggingface/blocks",
    "import/huggingface/generation":
        BUILDERS + "import/huggingface/reader import/huggingface/blocks "
        "import/huggingface/models options report",
    "import/huggingface/graph":
        BUILDERS + "import/huggingface/reader import/huggingface/blocks "
        "import/huggingface/models import/huggingface/generation options "
        "report",
    "import/onnx/reader": "files report wire",
    "import/onnx/graph": BUILDERS + "import/onnx/reader options report",
    "import/onnx/ops": BUILDERS + "import/onnx/graph",
    "import/tensorflow/reader": "files report wire",
    # The values of variables are read while their nodes are imported.
    "import/tensorflow/graph":
        BUILDERS + "files import/tensorflow/reader options report",
    "import/tensorflow/ops": BUILDERS + "import/tensorflow/graph",
    "oracle": "arithmetic",
    "codegen": "files options report",
    "artifact": "arithmetic codegen files options report",
    # Phases ask for what a target's instructions can do.
    "pipeline": "codegen options",
    # Operators without a handler are counted: the registries stand in graph.
    "describe": "import/huggingface/reader import/onnx/graph import/onnx/reader import/tensorflow/graph "
                "import/tensorflow/reader options report",
    # Text is checked as importers, recipes and phases would have it.
    "formats": "artifact describe files import/huggingface/graph "
               "import/huggingface/reader import/onnx/graph import/onnx/reader "
               "import/tensorflow/graph import/tensorflow/reader options "
               "pipeline report",
    "verify": "formats oracle options pipeline report",
    "": "artifact codegen describe formats options pipeline report verify",
}


def compiler_complaints(included):
    """Includes between rooms of compiler/ that the table does not allow."""
    known = []
    for here, reach in COMPILER_ROOMS.items():
        for other in reach.split():
            if other not in known:
                yield f"COMPILER_ROOMS: {here} names {other}, not above it"
        known.append(here)

    def room_of(path):
        return os.path.dirname(path).removeprefix("compiler").lstrip("/")

    for path, headers in included.items():
        if not path.startswith("compiler/"):
            continue
        here = room_of(path)
        if here not in COMPILER_ROOMS:
            yield f"{path}: the room is not in COMPILER_ROOMS"
            continue
        for header in headers:
            if header.startswith("compiler/") and room_of(header) not in \
                    [here] + COMPILER_ROOMS[here].split():
                yield f"{path}: the room {here} includes {header}"
