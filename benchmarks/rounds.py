"""Rounds in which all participants take turns, and the statistics of rounds.

Noise from other programs affects all participants of a round. So ratios are
computed within rounds, and their median is reported. A round in which the
hypervisor gave more than 2 % of the time to others is repeated.
"""
import time

import numpy as np

STEAL = 0.02
# Seconds that each participant of a round is measured.
SLICE = 0.08
# Seconds to wait after a call: a peer's threads may spin for a while.
SETTLE = 0.04


def cpu_times():
    """Ticks stolen by the hypervisor, and all ticks, since the system
    started."""
    with open("/proc/stat") as stat:
        ticks = [int(t) for t in stat.readline().split()[1:9]]
    return ticks[7], sum(ticks)


def repetition(caller):
    """The number of groups per round, and of calls per group."""
    caller.milliseconds(2, 1)
    once = caller.milliseconds(3, 1) / 1e3
    # In a group of 50 microseconds the clock's resolution and cost do not
    # matter.
    calls = max(1, int(50e-6 / once))
    once = caller.milliseconds(3, calls) / 1e3
    return max(2, min(2000, int(SLICE / (once * calls)))), calls


class Rounds:
    """Milliseconds of each caller and rates of the machine, for each round."""

    def __init__(self, callers, floor, size, wanted):
        """Measures `wanted` rounds of `callers` (by name) and of `floor`,
        which reads `size` bytes."""
        self.times = {name: [] for name in callers}
        self.peak, self.bandwidth = [], []
        self.rejected = 0
        often = {name: repetition(c) for name, c in callers.items()}
        order = list(callers)
        while len(self.peak) < wanted and self.rejected <= wanted:
            stolen, total = cpu_times()
            # Rotate the order, so that no participant always follows the same
            # one.
            order = order[1:] + order[:1]
            fresh = {}
            for name in order:
                fresh[name] = callers[name].milliseconds(*often[name])
                time.sleep(SETTLE)
            peak, bandwidth = floor.fma(), floor.read(size)
            now_stolen, now_total = cpu_times()
            if now_stolen - stolen > STEAL * (now_total - total):
                self.rejected += 1
                continue
            for name, taken in fresh.items():
                self.times[name].append(taken)
            self.peak.append(peak)
            self.bandwidth.append(bandwidth)

    def milliseconds(self, name):
        return float(np.median(self.times[name]))

    def ratio(self, peer, ours):
        """Their time over ours, above 1 if we are faster: median, p10, p90."""
        ratios = np.array(self.times[peer]) / np.array(self.times[ours])
        return [float(r) for r in np.percentile(ratios, [50, 10, 90])]

    def floor(self, *parts):
        """The least milliseconds in each round for work in parts, each of
        operations and bytes, one after the other. And what limits most of this
        time: arithmetic or memory."""
        least, computing = 0, 0
        for flops, size in parts:
            compute = 1e-6 * flops / np.array(self.peak)
            memory = 1e-6 * size / np.array(self.bandwidth)
            longer = np.maximum(compute, memory)
            least = least + longer
            computing = computing + longer * (compute > memory)
        bound = "compute" if np.median(computing / least) > 0.5 else "memory"
        return least, bound

    def of_floor(self, name, *parts):
        least, _ = self.floor(*parts)
        return float(np.median(least / np.array(self.times[name])))
