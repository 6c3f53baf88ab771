"""Messages of protobuf that are read, changed and written again without their
schema. A changed copy keeps the order of all fields."""
import numpy as np

import onnx_build
from onnx_wire import varint


class Message:
    """Fields as (number, kind, value): integers of kind 0, else bytes."""

    def __init__(self, data):
        self.fields, at = [], 0
        while at < len(data):
            key, at = varint(data, at)
            kind = key & 7
            size = {1: 8, 5: 4}.get(kind, 0)
            if kind == 0:
                value, at = varint(data, at)
            else:
                if kind == 2:
                    size, at = varint(data, at)
                value, at = data[at:at + size], at + size
            self.fields.append((key >> 3, kind, value))

    @staticmethod
    def of(fields):
        made = Message(b"")
        made.fields = fields
        return made

    def encoded(self):
        parts = []
        for number, kind, value in self.fields:
            parts.append(onnx_build.varint(number << 3 | kind))
            if kind == 0:
                parts.append(onnx_build.varint(value))
                continue
            if kind == 2:
                parts.append(onnx_build.varint(len(value)))
            parts.append(value)
        return b"".join(parts)

    def all(self, number):
        return [value for n, _, value in self.fields if n == number]

    def texts(self, number):
        return [value.decode() for value in self.all(number)]

    def text(self, number):
        return (self.texts(number) or [""])[-1]

    def integer(self, number):
        return (self.all(number) or [0])[-1]

    def messages(self, number):
        return [Message(value) for value in self.all(number)]

    def without(self, *numbers):
        return Message.of([f for f in self.fields if f[0] not in numbers])

    def replaced(self, number, value):
        """An integer field, replaced where it is."""
        return Message.of([(n, kind, value if n == number else old)
                           for n, kind, old in self.fields])

    def added(self, number, data):
        return Message.of([*self.fields, (number, 2, data)])

    def mapped(self, number, change):
        """Every message of a field, replaced by change(message)."""
        return Message.of([
            (n, kind, change(Message(value)).encoded() if n == number
             else value) for n, kind, value in self.fields])


def floats(tensor):
    """The f32 values of a TensorProto."""
    raw = tensor.all(9)
    if raw:
        return np.frombuffer(raw[-1], "<f4")
    return np.concatenate([np.frombuffer(part, "<f4")
                           for part in tensor.all(4)] or [np.zeros(0, "<f4")])
