// Places the nodes of a graph in layers, after Sugiyama: each node is below the
// nodes that it reads, and an edge over several layers passes through one
// placeholder in each. Edges from one node share their placeholders.

const nodeWidth = 184, nodeHeight = 44, columnGap = 26, layerGap = 46, placeholderWidth = 12;

// How strongly nodes are drawn to the middle, so that a deep graph does not drift
// to one side.
const pull = 0.04;

/**
 * Positions that keep the order and the distances, with the least sum of
 * weighted squared deviations from `wanted`: neighbours that are too close move
 * as one block (pool adjacent violators).
 */
function spread(wanted, weights, widths, gap) {
  const blocks = [];
  const shift = [];
  let sum = 0;
  for (let i = 0; i < wanted.length; ++i) {
    if (i > 0) sum += (widths[i - 1] + widths[i]) / 2 + gap;
    shift.push(sum);
    let block = { at: wanted[i] - sum, weight: weights[i], count: 1 };
    while (blocks.length > 0 && blocks[blocks.length - 1].at >= block.at) {
      const last = blocks.pop();
      const weight = last.weight + block.weight;
      block = {
        at: (last.at * last.weight + block.at * block.weight) / weight,
        weight,
        count: last.count + block.count,
      };
    }
    blocks.push(block);
  }
  const result = [];
  for (const block of blocks)
    for (let i = 0; i < block.count; ++i) result.push(block.at + shift[result.length]);
  return result;
}

/** The layer of each node; -1 if it has no edges. */
function layersOf(count, before, after) {
  const layers = new Array(count).fill(-1);
  for (let node = 0; node < count; ++node)
    if (before[node].length > 0) layers[node] = 1 + Math.max(...before[node].map((from) => layers[from]));
    else if (after[node].length > 0) layers[node] = 0;
  // A node that reads nothing stands just above its first reader.
  for (let node = 0; node < count; ++node)
    if (before[node].length === 0 && after[node].length > 0)
      layers[node] = Math.min(...after[node].map((to) => layers[to])) - 1;
  return layers;
}

/** The column of each item: those that follow one another without a fork. */
function columnsOf(items, count, above, below) {
  const columns = new Array(items);
  for (let item = 0; item < items; ++item) {
    if (columns[item] || !above[item]) continue;
    let first = item;
    const joins = (upper, lower) => (upper < count) === (lower < count) &&
      (upper >= count || below[upper].length === 1) && (lower >= count || above[lower].length === 1);
    while (above[first].length === 1 && joins(above[first][0], first)) first = above[first][0];
    const column = [];
    for (let at = first; at !== undefined;) {
      column.push(at);
      columns[at] = column;
      at = below[at].find((lower) => joins(at, lower));
    }
  }
  return columns;
}

/**
 * Returns `x` and `y`, the centres of nodes and placeholders, `size`, and
 * `route(from, to)`, the numbers of the nodes and placeholders on an edge.
 */
function layOut(count, edges) {
  const before = Array.from({ length: count }, () => []);
  const after = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) {
    before[to].push(from);
    after[from].push(to);
  }
  const layers = layersOf(count, before, after);
  const rows = [];
  const chains = new Map();
  const above = [], below = [], widths = [], weights = [];
  const place = (item, layer, width, weight) => {
    while (rows.length <= layer) rows.push([]);
    rows[layer].push(item);
    above[item] = [];
    below[item] = [];
    widths[item] = width;
    weights[item] = weight;
  };
  const join = (upper, lower) => {
    below[upper].push(lower);
    above[lower].push(upper);
  };
  const alone = [];
  for (let node = 0; node < count; ++node)
    if (layers[node] < 0) alone.push(node);
    else place(node, layers[node], nodeWidth, 1);
  let items = count;
  for (let node = 0; node < count; ++node) {
    const last = Math.max(-1, ...after[node].map((to) => layers[to]));
    const chain = [];
    for (let layer = layers[node] + 1; layer < last; ++layer) {
      place(items, layer, placeholderWidth, 4);
      join(chain.length > 0 ? chain[chain.length - 1] : node, items);
      chain.push(items++);
    }
    chains.set(node, chain);
    for (const to of after[node]) {
      const skipped = layers[to] - layers[node] - 1;
      join(skipped > 0 ? chain[skipped - 1] : node, to);
    }
  }

  const x = new Array(items).fill(0), y = new Array(items).fill(0);
  for (const row of rows) row.forEach((item, at) => { x[item] = (at - (row.length - 1) / 2) * (nodeWidth + columnGap); });
  const mean = (list) => list.reduce((sum, item) => sum + x[item], 0) / list.length;
  const settle = (row, neighbours, reorder, fixed = () => undefined) => {
    const wanted = new Map();
    for (const item of row) {
      const near = neighbours(item);
      wanted.set(item, fixed(item) ?? (near.length > 0 ? mean(near) * (1 - pull) : x[item]));
    }
    if (reorder) row.sort((a, b) => wanted.get(a) - wanted.get(b) || a - b);
    const placed = spread(row.map((item) => wanted.get(item)), row.map((item) => weights[item]),
      row.map((item) => widths[item]), columnGap);
    row.forEach((item, at) => { x[item] = placed[at]; });
  };
  for (let sweep = 0; sweep < 8; ++sweep) {
    for (const row of rows) settle(row, (item) => above[item], true);
    for (const row of [...rows].reverse()) settle(row, (item) => below[item], true);
  }
  // The order is found. Now edges become straight: the placeholders of a chain,
  // and nodes that only pass values on, are drawn to the middle of their column.
  const columns = columnsOf(items, count, above, below);
  const middle = (column) => {
    const sorted = column.map((item) => x[item]).sort((a, b) => a - b);
    return sorted[sorted.length >> 1];
  };
  for (let sweep = 0; sweep < 16; ++sweep) {
    const middles = new Map();
    for (const column of new Set(columns)) if (column && column.length > 1) middles.set(column, middle(column));
    for (const row of sweep % 2 ? [...rows].reverse() : rows)
      settle(row, (item) => above[item].concat(below[item]), false, (item) => middles.get(columns[item]));
  }

  rows.forEach((row, layer) => row.forEach((item) => { y[item] = layer * (nodeHeight + layerGap); }));
  const perRow = Math.max(4, Math.ceil(Math.sqrt(alone.length)));
  alone.forEach((node, at) => {
    x[node] = (at % perRow) * (nodeWidth + columnGap);
    y[node] = (rows.length + Math.floor(at / perRow)) * (nodeHeight + layerGap);
  });
  let left = Infinity, right = -Infinity, bottom = 0;
  for (let item = 0; item < items; ++item) {
    const half = (item < count ? nodeWidth : placeholderWidth) / 2;
    left = Math.min(left, x[item] - half);
    right = Math.max(right, x[item] + half);
    bottom = Math.max(bottom, y[item]);
  }
  for (let item = 0; item < items; ++item) {
    x[item] -= left;
    y[item] += nodeHeight / 2;
  }
  if (items === 0) left = right = 0;
  const segments = [];
  for (let item = 0; item < items; ++item)
    for (const lower of below[item] || []) segments.push([item, lower]);
  return {
    x, y, segments,
    width: right - left,
    height: bottom + nodeHeight,
    route: (from, to) => [from, ...chains.get(from).slice(0, layers[to] - layers[from] - 1), to],
  };
}
