"""The runtime's C API through ctypes, as much of it as measuring needs."""
import ctypes as c

import numpy as np

DTYPES = {1: "float32", 2: "float64", 3: "float16", 5: "int8", 6: "int16",
          7: "int32", 8: "int64", 9: "uint8", 10: "uint16", 11: "uint32",
          12: "uint64", 13: "bool"}
CODES = {name: code for code, name in DTYPES.items()}


class OpenOptions(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("error_text", c.c_char_p),
                ("error_text_bytes", c.c_size_t), ("threads", c.c_int32),
                ("weights_mode", c.c_int32), ("weights_path", c.c_char_p),
                ("verify_weights", c.c_int32), ("describe_only", c.c_int32),
                ("parallel", c.c_void_p), ("parallel_pool", c.c_void_p),
                ("cpu_feature_mask", c.c_uint64)]


class Tensor(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("name", c.c_char_p),
                ("dtype", c.c_int32), ("rank", c.c_int32),
                ("dims", c.POINTER(c.c_int64)), ("data", c.c_void_p),
                ("bytes", c.c_size_t)]


class Session:
    """One open artifact with one context and its inputs bound."""

    def __init__(self, library, artifact, threads, inputs, outputs):
        self.api = c.CDLL(library)
        self.api.tenon_context_text.restype = c.c_char_p
        text = c.create_string_buffer(1024)
        options = OpenOptions(struct_size=c.sizeof(OpenOptions),
                              error_text=c.cast(text, c.c_char_p),
                              error_text_bytes=len(text), threads=threads)
        self.model, self.context = c.c_void_p(), c.c_void_p()
        if self.api.tenon_open(artifact.encode(), c.byref(options),
                               c.byref(self.model)) != 0:
            raise RuntimeError(text.value.decode())
        if self.api.tenon_context_create(self.model, None,
                                         c.byref(self.context)) != 0:
            raise RuntimeError("no context")
        self.kept = [np.ascontiguousarray(a) for a in inputs.values()]
        self.inputs = (Tensor * len(inputs))(*(
            Tensor(c.sizeof(Tensor), name.encode(), CODES[a.dtype.name],
                   a.ndim, (c.c_int64 * a.ndim)(*a.shape), a.ctypes.data,
                   a.nbytes)
            for name, a in zip(inputs, self.kept)))
        self.names = outputs
        self.outputs = (Tensor * len(outputs))(*(
            Tensor(struct_size=c.sizeof(Tensor), name=name.encode())
            for name in outputs))

    def run(self):
        status = self.api.tenon_run(self.context, None, self.inputs,
                                    len(self.inputs), self.outputs,
                                    len(self.outputs))
        if status != 0:
            raise RuntimeError(
                self.api.tenon_context_text(self.context).decode())

    def results(self):
        out = {}
        for name, tensor in zip(self.names, self.outputs):
            shape = tensor.dims[:tensor.rank]
            raw = c.string_at(tensor.data, tensor.bytes)
            out[name] = np.frombuffer(raw, DTYPES[tensor.dtype]).reshape(
                shape)
        return out

    def close(self):
        self.api.tenon_context_destroy(self.context)
        self.api.tenon_close(self.model)
