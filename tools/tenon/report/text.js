// Numbers and names as text, and elements of the page. Text from a model
// reaches the page only as text nodes, so it never becomes markup.

/** A number with three significant digits. */
function digits(number) {
  if (number === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(number)));
  return number.toFixed(Math.max(0, 2 - magnitude));
}

/** `number` in the first unit of `units` in which it is below `step`. */
function scaled(number, step, units) {
  let at = 0;
  while (Math.abs(number) >= step && at + 1 < units.length) {
    number /= step;
    ++at;
  }
  return `${at === 0 && Number.isInteger(number) ? number : digits(number)} ${units[at]}`;
}

const missing = "–";
const formatBytes = (n) => n === undefined ? missing : scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
const formatFlops = (n) => n === undefined ? missing : scaled(n, 1e3, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"]);
const formatRate = (n) => scaled(n / 1e9, 1e3, ["GFLOP/s", "TFLOP/s"]);
const formatShare = (x) => x === undefined ? missing : `${(100 * x).toFixed(1)} %`;
const formatError = (x) => x === null || x === undefined ? "not finite" : x === 0 ? "0" : x.toExponential(2);
const formatCount = (n) => n === undefined ? missing : Math.round(n).toLocaleString("en");

/** "1 call", "2 calls". */
const counted = (n, what) => `${formatCount(n)} ${what}${Math.round(n) === 1 ? "" : "s"}`;

function formatTime(seconds) {
  if (seconds === undefined) return missing;
  if (seconds >= 1) return `${digits(seconds)} s`;
  return seconds >= 1e-3 ? `${digits(seconds * 1e3)} ms` : `${digits(seconds * 1e6)} µs`;
}

/** Appends texts and elements to `parent`. */
function fill(parent, ...children) {
  for (const child of children.flat())
    if (child !== null && child !== undefined) parent.append(child);
  return parent;
}

/** A new element with properties; `class` and attributes with a dash too. */
function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {}))
    if (key in made && !key.includes("-")) made[key] = value;
    else made.setAttribute(key, value);
  return fill(made, ...children);
}

/** A new SVG element with attributes. */
function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  return fill(made, ...children);
}

/** The value of a colour of the style sheet. */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// What a node does, which decides its colour. Other ops are elementwise.
const categories = [
  ["contraction", "contraction", ["contraction", "convolution", "dot_general"]],
  ["attention", "attention", ["attention"]],
  ["rows", "rows and reductions", ["rows", "scan", "sort", "window", "opaque", "reduce", "reduce_window", "softmax",
    "log_softmax", "layer_norm", "batch_norm", "cumulative", "arg_reduce", "arg_reduce_window", "top_k", "nonzero",
    "non_max_suppression"]],
  ["map", "elementwise", []],
  ["movement", "data movement", ["transpose", "reshape", "broadcast_in_dim", "slice", "concatenate", "pad", "gather",
    "scatter", "reverse", "iota", "dynamic_update_slice", "bitcast_convert", "convert", "pack", "unpack", "pair",
    "unpair", "copy", "state_read", "state_write"]],
  ["boundary", "input, output", ["input", "output"]],
];

const shortOp = (op) => op.replace(/^tenon\./, "");

function categoryOf(op) {
  const found = categories.find(([, , ops]) => ops.includes(shortOp(op)));
  return found ? found[0] : "map";
}
