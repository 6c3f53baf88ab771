"""ONNX Runtime through its C API; needs only the shared library.

`run(library, model, runs)` gives each run's outputs, or the message of its
refusal. The library is called in a forked process, which contains its faults.
Graph optimizations are off, so that the results are the operators' own.
"""
import ctypes
import multiprocessing
import os

import numpy as np

# Positions in the table of functions; they never change.
API_VERSION = 16
GET_ERROR_MESSAGE, CREATE_ENV, CREATE_SESSION_FROM_ARRAY, RUN = 2, 3, 8, 9
CREATE_SESSION_OPTIONS, OPTIMIZATION, THREADS = 10, 23, 24
OUTPUT_COUNT, OUTPUT_NAME, CREATE_TENSOR, TENSOR_DATA = 31, 37, 49, 51
ELEMENT_TYPE, RANK, EXTENTS, TYPE_AND_SHAPE, CPU_MEMORY = 60, 61, 62, 65, 69
ALLOCATOR = 78
TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16",
         6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64",
         12: "uint32", 13: "uint64"}
CODES = {name: code for code, name in TYPES.items()}


# The answer if the peer gives none; it says nothing about the model.
DIED = "the peer's process died or gave no answer in time"


class Refused(Exception):
    pass


class Library:
    def __init__(self, path):
        base = ctypes.CDLL(path).OrtGetApiBase
        base.restype = ctypes.POINTER(ctypes.c_void_p)
        get = ctypes.CFUNCTYPE(ctypes.POINTER(ctypes.c_void_p),
                               ctypes.c_uint32)(base()[0])
        self.table = get(API_VERSION)

    def call(self, place, *arguments):
        function = ctypes.CFUNCTYPE(ctypes.c_void_p)(self.table[place])
        status = function(*arguments)
        if status:
            message = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(
                self.table[GET_ERROR_MESSAGE])
            raise Refused(message(status).decode(errors="replace"))

    def made(self, place, *arguments):
        """The pointer that a function returns through its last argument."""
        held = ctypes.c_void_p()
        self.call(place, *arguments, ctypes.byref(held))
        return held


def names_array(names):
    return (ctypes.c_char_p * max(1, len(names)))(*(n.encode() for n in names))


def session_of(library, model):
    env = library.made(CREATE_ENV, ctypes.c_int(4), b"test")
    options = library.made(CREATE_SESSION_OPTIONS)
    library.call(OPTIMIZATION, options, ctypes.c_int(0))
    library.call(THREADS, options, ctypes.c_int(1))
    return library.made(CREATE_SESSION_FROM_ARRAY, env, model,
                        ctypes.c_size_t(len(model)), options)


def output_names(library, session):
    count = ctypes.c_size_t()
    library.call(OUTPUT_COUNT, session, ctypes.byref(count))
    allocator = library.made(ALLOCATOR)
    return [ctypes.string_at(library.made(
        OUTPUT_NAME, session, ctypes.c_size_t(i), allocator).value).decode()
        for i in range(count.value)]


def tensor_of(library, memory, array):
    extents = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
    return library.made(
        CREATE_TENSOR, memory, ctypes.c_void_p(array.ctypes.data),
        ctypes.c_size_t(array.nbytes), extents, ctypes.c_size_t(array.ndim),
        ctypes.c_int(CODES[array.dtype.name]))


def array_of(library, value):
    info = library.made(TYPE_AND_SHAPE, value)
    element, rank = ctypes.c_int(), ctypes.c_size_t()
    library.call(ELEMENT_TYPE, info, ctypes.byref(element))
    library.call(RANK, info, ctypes.byref(rank))
    extents = (ctypes.c_int64 * max(1, rank.value))()
    library.call(EXTENTS, info, extents, rank)
    shape = tuple(extents[:rank.value])
    dtype = np.dtype(TYPES[element.value])
    size = int(np.prod(shape)) * dtype.itemsize
    if size == 0:
        return np.zeros(shape, dtype)
    data = library.made(TENSOR_DATA, value)
    return np.frombuffer(ctypes.string_at(data.value, size),
                         dtype).reshape(shape)


def run_here(path, model, runs):
    """Each run's outputs by name, or the message of its refusal."""
    library = Library(path)
    try:
        session = session_of(library, model)
        names = output_names(library, session)
    except Refused as refused:
        return [str(refused)] * len(runs)
    memory = library.made(CPU_MEMORY, ctypes.c_int(0), ctypes.c_int(0))
    answers = []
    for inputs in runs:
        arrays = [a.copy(order="C") for a in inputs.values()]
        values = [tensor_of(library, memory, a) for a in arrays]
        handles = (ctypes.c_void_p * max(1, len(values)))(
            *(v.value for v in values))
        outs = (ctypes.c_void_p * len(names))()
        try:
            library.call(RUN, session, None, names_array(list(inputs)),
                         handles, ctypes.c_size_t(len(values)),
                         names_array(names), ctypes.c_size_t(len(names)), outs)
            answers.append({n: array_of(library, ctypes.c_void_p(o))
                            for n, o in zip(names, outs)})
        except Refused as refused:
            answers.append(str(refused))
    return answers


def run(path, model, runs, limit=60):
    """Calls `run_here` in its own process."""
    receive, send = multiprocessing.Pipe(False)

    def work():
        # The library prints its refusals: drop them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        send.send(run_here(path, model, runs))
        os._exit(0)

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    send.close()
    try:
        if not receive.poll(limit):
            return [DIED] * len(runs)
        return receive.recv()
    except EOFError:
        return [DIED] * len(runs)
    finally:
        process.kill()
        process.join()
