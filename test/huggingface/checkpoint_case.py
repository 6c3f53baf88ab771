"""How a checkpoint is described before it is written."""
from typing import NamedTuple


class Drawn(NamedTuple):
    """The kind of a tensor of random elements."""
    spread: float  # the standard deviation
    mean: float = 0.0


class Same(NamedTuple):
    """The kind of a tensor with the elements of another one."""
    name: str
    kind: object


class Lowered(NamedTuple):
    """The kind of a table whose rows from `first` on have a product with the
    vector `name` that is lower by `by`."""
    kind: object
    first: int
    by: float
    name: str
    kind_of_name: object


class Case:
    """A checkpoint: its config.json and generation_config.json, the tensors that
    the architecture has, and how they are stored. `tensors_of(config, prefix)`
    yields the name, the shape and the kind of each tensor."""

    def __init__(self, config, tensors_of, dtype="F32", prefix=None, shards=1,
                 cache=False, generation=None):
        self.config, self.dtype, self.shards = config, dtype, shards
        self.tensors_of, self.prefix, self.cache = tensors_of, prefix, cache
        self.generation = generation

    def tensors(self):
        return self.tensors_of(self.config, self.prefix)
