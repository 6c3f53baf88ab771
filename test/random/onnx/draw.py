"""The table of graph steps: `@draws(weight)` adds a function of a graph to
it."""
DRAWS = []


def draws(weight=1.0):
    def register(function):
        DRAWS.append((function, weight))
        return function
    return register


def windows(graph, rank):
    """Kernel, strides, dilations and pads of `rank` spatial dims."""
    kernel = [graph.between(1, 4) for _ in range(rank)]
    strides = [graph.between(1, 3) for _ in range(rank)]
    pads = [graph.between(0, kernel[i % rank] - 1) for i in range(2 * rank)]
    return kernel, strides, pads


def window_extent(size, kernel, stride, before, after, dilation=1, ceil=False):
    reach = (kernel - 1) * dilation + 1
    room = size + (before + after - reach)
    if ceil:
        room = room + (stride - 1)
    return room // stride + 1
