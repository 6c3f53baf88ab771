// The panel beside the graph: what is known of the node that is selected.

const mostListed = 60;

function detailRow(list, name, ...content) {
  const texts = content.flat().filter((each) => each !== undefined && each !== null && each !== "");
  if (texts.length > 0) list.append(element("dt", {}, name), element("dd", {}, ...texts));
}

/** Buttons that select nodes; `labelOf(number)` is their text. */
function nodeButtons(numbers, labelOf, choose) {
  const shown = numbers.slice(0, mostListed).map((at) =>
    element("button", { type: "button", className: "node-link", onclick: () => choose(at) }, labelOf(at)));
  if (numbers.length > mostListed) shown.push(element("span", {}, `and ${numbers.length - mostListed} more`));
  return shown;
}

const lines = (texts) => texts.map((text) => element("div", {}, text));

function nodeLabel(node) {
  return node.label || node.names[0] || shortOp(node.op);
}

/**
 * Fills `panel` with node `at` of one side of `fn`, "before" or "after".
 * `choose(side, number)` selects another node.
 */
function showDetails(panel, fn, side, at, choose) {
  panel.replaceChildren();
  const graph = fn[side];
  if (at < 0) {
    fill(panel, element("p", { className: "hint" }, "Select a node to see what it computes, what it reads and " +
      (side === "before" ? "which kernel it is in." : "which nodes it has.")),
      element("p", { className: "hint" }, "Drag to move, turn the wheel to zoom, press / to search. With the graph " +
      "focused, + and − zoom, 0 fits the width and the arrows move."));
    return;
  }
  const node = graph.nodes[at];
  const list = element("dl", {});
  const here = (number) => choose(side, number);
  const there = side === "before" ? "after" : "before";
  const label = (number) => nodeLabel(graph.nodes[number]);
  const heading = element("h3", {}, element("span", { className: `swatch ${categoryOf(node.op)}` }), shortOp(node.op));
  detailRow(list, node.names.length > 1 ? "Nodes" : "Name", lines(node.names.slice(0, mostListed)),
    node.names.length > mostListed ? `and ${node.names.length - mostListed} more` : null);
  detailRow(list, "Result", lines(node.types || []));
  detailRow(list, "Weights", lines(node.constants || []));
  detailRow(list, "Reads", nodeButtons(graph.edges.filter(([, to]) => to === at).map(([from]) => from), label, here));
  detailRow(list, "Read by", nodeButtons(graph.edges.filter(([from]) => from === at).map(([, to]) => to), label, here));
  const links = (side === "before" ? fn.toAfter : fn.toBefore)[at];
  detailRow(list, side === "before" ? "Kernels" : "Before fusion", nodeButtons(links, (number) => {
    const other = fn[there].nodes[number];
    const kernel = other.launches ? other.launches[0].kernel : shortOp(other.op);
    return side === "before" ? kernel : `${shortOp(other.op)} ${other.names[0] || ""}`;
  }, (number) => choose(there, number)));
  if (side === "before" && links.length === 0 && fn.after.nodes.length > 0)
    detailRow(list, "Kernels", "none: the compiler computes it, or other ops include it");
  if (node.launches) {
    const work = fn.work[at];
    detailRow(list, "Kernel", lines([...new Set(node.launches.map((launch) => launch.kernel))]));
    detailRow(list, "Plan", node.plan || null);
    const unit = work.time === undefined ? "" : " in a run";
    if (work.time !== undefined) {
      detailRow(list, "Time", `${formatTime(work.time)}${unit}, ${counted(work.calls, "call")}`);
      if (work.floor !== undefined) detailRow(list, "Floor", `${formatTime(work.floor)}, ${formatShare(work.floor / work.time)} reached`);
    }
    detailRow(list, "Work", `${formatFlops(work.flops)}, ${formatBytes(work.bytes)}${unit}`);
  }
  const errors = side === "before" ? fn.errors[at] : [];
  detailRow(list, "Error", lines(errors.map((error) => `${formatError(error.max_absolute)} absolute, ` +
    `${formatError(error.max_relative)} relative${error.same ? "" : ", differs"}`)));
  fill(panel, heading, list);
}
