// Fills the page and connects its parts.

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const functions = data.functions.map((fn) => prepare(fn, data));
const hasGraph = functions.some((fn) => fn.after.edges.length > 0 || fn.before.nodes.length > 0);

/** The fills of nodes, which depend on the colour scheme. */
const colours = new Map();
const shown = { fn: null, side: "before", hits: [], hit: -1 };
const view = new GraphView(byId("canvas"), (node) => {
  if (shown.fn) showDetails(byId("details"), shown.fn, shown.side, node, chooseNode);
});

/** A mix of the colours for little and much; `share` is from 0 to 1. */
function heat(share) {
  const parts = (name) => colour(name).match(/[0-9a-f]{2}/g).map((part) => parseInt(part, 16));
  const cold = parts("cold"), hot = parts("hot");
  return `rgb(${cold.map((part, i) => Math.round(part + (hot[i] - part) * share)).join(" ")})`;
}

// What the colour of a node may stand for: its name, the value of a node, and
// how a value is written on the node.
const paints = {
  kind: { name: "kind of op" },
  time: {
    name: "time", text: formatTime,
    of: (fn, side, at) => side === "after" ? fn.work[at] && fn.work[at].time
      : fn.toAfter[at].reduce((sum, to) => sum + ((fn.work[to] && fn.work[to].time) || 0), 0),
  },
  flops: {
    name: "operations", text: formatFlops,
    of: (fn, side, at) => side === "after" ? fn.work[at] && fn.work[at].flops : undefined,
  },
  error: {
    name: "largest difference", text: formatError,
    of: (fn, side, at) => side === "before"
      ? Math.max(0, ...fn.errors[at].map((error) => error.max_absolute)) : undefined,
  },
};

function paintsFor(fn, side) {
  return Object.keys(paints).filter((key) => key === "kind" ||
    fn[side].nodes.some((node, at) => paints[key].of(fn, side, at) > 0));
}

function showGraph() {
  const { fn, side } = shown;
  const graph = fn[side];
  if (!fn.layouts[side]) fn.layouts[side] = layOut(graph.nodes.length, graph.edges);
  const choice = byId("paint");
  const keys = paintsFor(fn, side);
  const key = keys.includes(choice.value) ? choice.value : "kind";
  choice.replaceChildren(...keys.map((each) => element("option", { value: each }, paints[each].name)));
  choice.value = key;
  const { of, text, name } = paints[key];
  const values = of ? graph.nodes.map((node, at) => of(fn, side, at)) : [];
  const most = Math.max(0, ...values.filter((value) => value > 0));
  colours.clear();
  const fillOf = (at) => {
    const kind = of ? Math.round(255 * Math.sqrt((values[at] || 0) / most)) : categoryOf(graph.nodes[at].op);
    if (!colours.has(kind)) colours.set(kind, of ? heat(kind / 255) : colour(kind));
    return colours.get(kind);
  };
  const note = (at) => {
    if (values[at] > 0) return text(values[at]);
    const { names, launches } = graph.nodes[at];
    return launches && names.length > 1 ? `${names.length} nodes` : "";
  };
  const legend = of
    ? [element("li", {}, `${name}: 0 `, element("span", { className: "swatch scale" }), ` ${text(most)}`)]
    : categories.filter(([kind]) => graph.nodes.some((node) => categoryOf(node.op) === kind))
      .map(([kind, label]) => element("li", {}, element("span", { className: `swatch ${kind}` }), label));
  byId("legend").replaceChildren(...legend);
  for (const each of ["before", "after"]) {
    byId(each).setAttribute("aria-pressed", String(each === side));
    byId(each).disabled = fn[each].nodes.length === 0;
  }
  view.show(graph, fn.layouts[side], fillOf, note);
  search(false);
}

function chooseNode(side, at) {
  if (side !== shown.side) {
    shown.side = side;
    showGraph();
  }
  view.centre(at);
}

/** Selects a node and brings the graph into sight. */
function revealNode(side, at) {
  chooseNode(side, at);
  byId("graph").scrollIntoView({ block: "start" });
}

/** Finds the nodes whose name, operator or kernel contains the query. */
function search(move) {
  const query = byId("query").value.trim().toLowerCase();
  const contains = (text) => text.toLowerCase().includes(query);
  const { nodes } = shown.fn[shown.side];
  shown.hits = query === "" ? [] : nodes.map((node, at) => at).filter((at) => nodes[at].names.some(contains) ||
    contains(shortOp(nodes[at].op)) || (nodes[at].launches || []).some((launch) => contains(launch.kernel)));
  shown.hit = -1;
  view.mark(shown.hits);
  if (move && shown.hits.length > 0) nextHit(1);
  else showFound();
}

function showFound() {
  const count = shown.hits.length;
  byId("found").value = byId("query").value.trim() === "" ? ""
    : count === 0 ? "no hits" : shown.hit < 0 ? `${count} hits` : `${shown.hit + 1} of ${count}`;
}

function nextHit(step) {
  const count = shown.hits.length;
  if (count === 0) return showFound();
  shown.hit = shown.hit < 0 ? (step > 0 ? 0 : count - 1) : (shown.hit + step + count) % count;
  view.centre(shown.hits[shown.hit]);
  showFound();
}

function showSection(id, content) {
  const section = byId(id);
  section.hidden = content === null;
  section.replaceChildren(section.querySelector("h2"), ...(content || []));
}

function showFunction(fn) {
  shown.fn = fn;
  if (fn[shown.side].nodes.length === 0) shown.side = shown.side === "before" ? "after" : "before";
  const chooseKernel = (row) => {
    if (hasGraph && row.nodes.length > 0) revealNode("after", row.nodes[0]);
    if (hasGraph) view.mark(row.nodes);
  };
  if (hasGraph) showGraph();
  showSection("kernels", [kernelTable(fn, hasGraph ? chooseKernel : null)]);
  showSection("roofline", fn.isProfiled && fn.kernels.some((row) => row.time > 0 && row.flops > 0)
    ? roofline(fn, data.profile, chooseKernel) : null);
  const memory = fn.memory && fn.memory.buffers.length > 0 ? memoryChart(fn, (at) => revealNode("after", at))
    : fn.after.edges.length === 0 ? null
    : [element("p", { className: "note" }, fn.memory ? "This function needs no memory between its kernels."
      : "The places of buffers depend on sizes that are known only in a run. Fix them with --dim or --shape.")];
  showSection("memory", memory);
  showSection("errors", fn.values.length > 0 ? [errorTable(fn, hasGraph ? (value) => {
    const at = fn.errors.findIndex((errors) => errors.includes(value));
    if (at >= 0) revealNode("before", at);
  } : null)] : null);
  showCards(fn);
  showFacts(fn);
  const links = [...document.querySelectorAll("main > section")].filter((section) => !section.hidden && section.querySelector("h2"))
    .map((section) => element("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  document.querySelector("nav").replaceChildren(...links);
}

function showCards(fn) {
  const cards = [];
  const add = (value, name) => { if (value) cards.push(element("div", { className: "card" }, element("strong", {}, value), element("span", {}, name))); };
  const ops = fn.before.nodes.filter((node) => categoryOf(node.op) !== "boundary").length;
  const launches = fn.after.nodes.filter((node) => node.launches).length;
  const total = (field) => fn.kernels.reduce((sum, row) => row[field] === undefined ? NaN : sum + row[field], 0);
  const flops = total("flops"), time = total("time"), floor = total("floor");
  if (ops > 0) add(formatCount(ops), "ops before fusion");
  add(formatCount(launches), `launches of ${counted(fn.kernels.length, "kernel")}`);
  const { parameters, parameter_bytes: parameterBytes, weight_bytes: weightBytes } = data.summary;
  if (parameters > 0) add(scaled(parameters, 1e3, ["", "k", "M", "G"]).trim(), `parameters, ${formatBytes(parameterBytes)}`);
  if (weightBytes > 0) add(formatBytes(weightBytes), "weights");
  if (fn.memory) add(formatBytes(fn.memory.bytes), "arena");
  if (flops > 0) add(formatFlops(flops), "operations in a run");
  if (fn.isProfiled) {
    add(formatTime(data.profile.seconds / data.profile.runs), `a run of ${data.profile.device_name ||
      counted(data.profile.threads, "thread")}, mean of ${data.profile.runs}`);
    if (time > 0) add(formatTime(time), "in kernels");
    if (floor > 0) add(`${formatTime(floor)}`, `floor, ${formatShare(floor / time)} reached`);
  }
  byId("cards").replaceChildren(...cards);
}

function showFacts(fn) {
  const { summary } = data;
  const list = byId("facts");
  list.replaceChildren();
  const entry = summary.functions.find((each) => each.name === fn.name) || summary;
  const mostShown = 5;
  const tensors = (each) => {
    const texts = lines(each.map(({ name, dtype, dims }) => `${name}  ${dtype} [${dims.join(", ")}]`));
    const rest = texts.splice(mostShown);
    return rest.length === 0 ? texts
      : [...texts, element("details", {}, element("summary", {}, `${rest.length} more`), ...rest)];
  };
  const title = data.file !== "-" ? data.file : summary.name;
  document.title = `${title} – Tenon report`;
  byId("title").textContent = title;
  detailRow(list, "Name", summary.name);
  detailRow(list, "Format", summary.format);
  detailRow(list, "Producer", summary.producer);
  detailRow(list, "Source", summary.source);
  detailRow(list, "Compiler", summary.compiler);
  detailRow(list, "Target", summary.target);
  detailRow(list, "Inputs", tensors(entry.inputs));
  detailRow(list, "Outputs", tensors(entry.outputs));
  if (!hasGraph) detailRow(list, "Graph", "An artifact has no graph; make the page of the model to see it.");
}

function connect() {
  const select = byId("function");
  functions.forEach((fn, at) => select.append(element("option", { value: at }, fn.name)));
  byId("function-choice").hidden = functions.length < 2;
  select.addEventListener("change", () => showFunction(functions[select.value]));
  byId("paint").addEventListener("change", showGraph);
  for (const side of ["before", "after"])
    byId(side).addEventListener("click", () => {
      shown.side = side;
      showGraph();
    });
  byId("query").addEventListener("input", () => search(true));
  byId("query").addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      nextHit(event.shiftKey ? -1 : 1);
    }
  });
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    nextHit(1);
  });
  byId("previous").addEventListener("click", () => nextHit(-1));
  byId("in").addEventListener("click", () => view.zoom(1.4));
  byId("out").addEventListener("click", () => view.zoom(1 / 1.4));
  byId("fit").addEventListener("click", () => view.fit());
  byId("whole").addEventListener("click", () => view.whole());
  byId("canvas").addEventListener("drawn", () => { byId("scale").value = `${Math.round(100 * view.scale)} %`; });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    colours.clear();
    if (hasGraph) view.refresh();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select")) return;
    event.preventDefault();
    byId("query").focus();
  });
}

byId("graph").hidden = !hasGraph;
connect();
if (functions.length > 0) showFunction(functions[0]);
