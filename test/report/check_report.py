#!/usr/bin/python3
"""Opens the page of `tenon inspect --html` in a headless browser: for a model
whose names look like markup, for a network of residual blocks with a profile
and the errors of its values, and for a model of 2,000 nodes.

Nothing may be written to the console, no text of the model may become markup,
and search, zoom, tables and both colour schemes must work. Ends with 77 if
chromium or chromium-driver is missing. `--keep=DIR` leaves pages and
screenshots there.
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser
import report_models

failures = []


def check(true, what):
    if not true:
        failures.append(what)
        print(f"FAIL: {what}", flush=True)


class Pages:
    """Models, their measurements and their pages in `folder`."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def tenon(self, *arguments):
        return subprocess.run([self.tool, *arguments], check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def model(self, name, text):
        with open(self.path(name + ".mlir"), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name + ".mlir")

    def page(self, name, text, measured=False):
        model, page = self.model(name, text), self.path(name + ".html")
        more = []
        if measured:
            trace, errors = self.path("trace.json"), self.path("errors.json")
            self.tenon("run", model, "--input=random", "--repeat=3",
                       f"--profile={trace}")
            with open(errors, "w", encoding="utf-8") as file:
                file.write(self.tenon("verify", model, "--per-op",
                                      "--format=json"))
            more = [f"--profile={trace}", f"--verify={errors}"]
        self.tenon("inspect", "-q", model, f"--html={page}", *more)
        return page


def check_hostile(view, page):
    view.open(page)
    check(view.run("return document.images.length") == 0,
          "a name became an image")
    check(view.run("return document.querySelectorAll('b').length") == 0,
          "a name became an element")
    check(view.run("return document.title").startswith("hostile.mlir"),
          "a name ran as a script")
    for name in report_models.HOSTILE:
        found = view.run(
            "return data.functions[0].before.nodes.some(node => "
            "node.names.includes(arguments[0]))", name)
        check(found, f"the node {name!r} is missing")
    view.type("#query", report_models.HOSTILE[2])
    check(report_models.HOSTILE[2] in
          view.run("return document.querySelector('#details').textContent"),
          "the details show another name")
    check(view.run("return document.querySelectorAll('b').length") == 0,
          "a name became an element of the details")


def check_graph(view, page, nodes):
    """Search, selection, zoom and both stages."""
    view.open(page)
    scale = "return Number(document.querySelector('#canvas').dataset.scale)"
    found = "return document.querySelector('#found').value"
    details = "return document.querySelector('#details').textContent"
    count = view.run("return data.functions[0].before.nodes.length")
    check(count >= nodes, f"{count} nodes instead of {nodes}")
    check_layout(view)
    products = view.run(
        "return data.functions[0].before.nodes.filter(node => ["
        "'tenon.dot_general', 'tenon.convolution'].includes(node.op)).map("
        "node => node.names[0])")
    # The node that the test looks for is far down.
    wanted = products[len(products) * 3 // 4]
    view.type("#query", wanted)
    check(view.run(found).startswith("1 of"), f"{wanted} is not found")
    check(wanted in view.run(details), f"{wanted} is not selected")
    middle = view.run(
        "const at = view.selected, s = view.scale; return ["
        "(view.layout.x[at] - view.left) * s / view.room,"
        "(view.layout.y[at] - view.top) * s / view.height]")
    check(all(abs(part - 0.5) < 0.01 for part in middle),
          f"the hit is not in the middle: {middle}")
    view.click("#after")
    check(view.run("return view.graph.nodes.length") ==
          view.run("return data.functions[0].after.nodes.length"),
          "the graph after fusion is not shown")
    check_layout(view)
    check(view.run(found) != "no hits", "no kernel has the node")
    before = view.run(scale)
    view.click("#in")
    after = view.run(scale)
    check(after > before, f"zoom in: {before} to {after}")
    view.click("#whole")
    check(view.run(scale) < after, "the whole graph is not smaller")
    view.run("document.querySelector('#canvas').focus()")
    view.type("#canvas", "+")
    check(view.run(scale) != before, "the key + does not zoom")
    view.run("const query = document.querySelector('#query'); query.value = "
             "'no such node'; query.dispatchEvent(new Event('input'))")
    check(view.run(found) == "no hits", "a name that is nowhere is found")


def check_layout(view):
    """No two nodes overlap, and every edge leads down."""
    overlapping, up = view.run("""
        const { x, y } = view.layout, count = view.graph.nodes.length;
        const rows = new Map();
        for (let i = 0; i < count; ++i)
          rows.set(y[i], (rows.get(y[i]) || []).concat(x[i]));
        let overlapping = 0;
        for (const row of rows.values())
          row.sort((a, b) => a - b).forEach((at, i) => {
            if (i > 0 && at - row[i - 1] < nodeWidth) ++overlapping; });
        return [overlapping,
                view.graph.edges.filter(([a, b]) => y[a] >= y[b]).length];
        """)
    check(overlapping == 0, f"{overlapping} nodes overlap")
    check(up == 0, f"{up} edges do not lead down")


def check_tables(view, page):
    view.open(page)
    cells = ("return [...document.querySelectorAll('#kernels tbody tr')].map("
             "row => row.firstChild.textContent)")
    before = view.run(cells)
    times = view.run("return functions[0].kernels.map(row => row.time)")
    check(len(before) == len(times) > 1 and all(time > 0 for time in times),
          f"times of kernels: {times}")
    check(times == sorted(times, reverse=True), "the slowest is not first")
    view.click("#kernels thead th:first-child button")
    check(view.run(cells) == sorted(before), "kernels are not sorted by name")
    view.click("#kernels thead th:first-child button")
    check(view.run(cells) == sorted(before, reverse=True),
          "a second click does not turn the order")
    view.click("#kernels tbody tr:first-child button")
    check(view.run("return view.selected") >= 0, "no kernel is selected")
    rooms = view.run("return data.functions[0].memory.buffers")
    arena = view.run("return data.functions[0].memory.bytes")
    check(rooms and all(room["offset"] + room["bytes"] <= arena
                        for room in rooms), "buffers outside the arena")
    clash = [(a, b) for i, a in enumerate(rooms) for b in rooms[:i]
             if a["first"] < b["last"] and b["first"] < a["last"] and
             a["offset"] < b["offset"] + b["bytes"] and
             b["offset"] < a["offset"] + a["bytes"]]
    check(not clash, f"buffers share memory: {clash[:1]}")
    check(view.run("return document.querySelectorAll('#roofline circle')"
                   ".length") > 0, "the roofline has no kernels")
    check(view.run("return document.querySelectorAll('#memory rect').length")
          == len(rooms), "buffers are missing in the chart")
    errors = view.run("return functions[0].errors.flat().length")
    values = view.run("return data.verification.values.length")
    check(errors == values > 100, f"{errors} of {values} values have a node")
    view.click("#errors tbody tr:last-child button")
    last = view.run("return data.verification.values.at(-1)")
    found = view.run("return functions[0].before.nodes[view.selected].values")
    check(found == [last["name"]], f"{last['name']} selects {found}")
    check(view.run("return functions[0].work.filter(work => work && "
                   "!(work.time > 0)).length") == 0, "a launch has no time")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--keep")
    options = parser.parse_args()
    if not browser.is_there():
        print("skipped: install chromium and chromium-driver")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or folder
        os.makedirs(folder, exist_ok=True)
        pages = Pages(os.path.join(options.build, "bin", "tenon"), folder)
        hostile = pages.page("hostile", report_models.hostile())
        residual = pages.page("residual", report_models.residual(), True)
        large = pages.page("large", report_models.transformer(2000))
        for dark in (False, True):
            with browser.Browser(dark=dark) as view:
                check_hostile(view, hostile)
                check_tables(view, residual)
                for name, page, nodes in (("residual", residual, 100),
                                          ("large", large, 2000)):
                    check_graph(view, page, nodes)
                    view.screenshot(pages.path(
                        f"{name}-{'dark' if dark else 'light'}.png"))
                check(view.run("return matchMedia("
                               "'(prefers-color-scheme: dark)').matches") ==
                      dark, "the browser has another colour scheme")
                for error in view.errors():
                    check(False, f"the console says: {error}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
