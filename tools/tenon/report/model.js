// Joins what the page knows of a function: nodes with kernels by their names,
// launches with their times, and nodes with the errors of their values.

const launchKey = (kernel, names) => [kernel, ...names].join("\n");

/** Adds `value` to `sums[key]`; one missing value makes the sum missing. */
function addTo(sums, key, value) {
  if (sums[key] === undefined && key in sums) return;
  sums[key] = value === undefined ? undefined : (sums[key] || 0) + value;
}

/** Times and work of one run by launch: kernel and nodes. */
function launchesOf(profile) {
  const launches = new Map();
  for (const launch of profile ? profile.launches : [])
    launches.set(launchKey(launch.kernel, launch.names), {
      kernel: launch.kernel,
      names: launch.names,
      calls: launch.calls / profile.runs,
      time: launch.seconds / profile.runs,
      flops: launch.flops / profile.runs,
      bytes: launch.bytes / profile.runs,
      floor: launch.floor_seconds === undefined ? undefined : launch.floor_seconds / profile.runs,
    });
  return launches;
}

/**
 * The work of each kernel node: of one run if it was profiled, otherwise that
 * of its launches. Nodes with equal launches share their times evenly.
 */
function workOfNodes(nodes, profiled) {
  const users = new Map();
  const keysOf = (node) => new Set((node.launches || []).map((launch) => launchKey(launch.kernel, node.names)));
  for (const node of nodes)
    for (const key of keysOf(node)) users.set(key, (users.get(key) || 0) + 1);
  return nodes.map((node) => {
    if (!node.launches) return null;
    const work = {};
    const measured = [...keysOf(node)].filter((key) => profiled.has(key));
    for (const key of measured)
      for (const field of ["calls", "time", "flops", "bytes", "floor"]) {
        const value = profiled.get(key)[field];
        addTo(work, field, value === undefined ? undefined : value / users.get(key));
      }
    if (measured.length === 0)
      for (const launch of node.launches) {
        addTo(work, "flops", launch.flops);
        addTo(work, "bytes", launch.bytes);
      }
    return work;
  });
}

/** One row for each kernel, the slowest first. */
function kernelRows(nodes, work, profiled, isProfiled) {
  const rows = new Map();
  const rowOf = (kernel, kind) => {
    if (!rows.has(kernel)) rows.set(kernel, { kernel, kind, names: [], nodes: [], sums: {}, launches: 0 });
    return rows.get(kernel);
  };
  nodes.forEach((node, at) => {
    for (const kernel of new Set((node.launches || []).map((launch) => launch.kernel))) {
      const row = rowOf(kernel, node.op);
      row.nodes.push(at);
      row.names.push(...node.names);
      for (const launch of node.launches.filter((each) => each.kernel === kernel)) {
        ++row.launches;
        if (isProfiled) continue;
        addTo(row.sums, "flops", launch.flops);
        addTo(row.sums, "bytes", launch.bytes);
      }
    }
  });
  if (isProfiled)
    for (const launch of profiled.values()) {
      const row = rowOf(launch.kernel, launch.kernel.match(/^[a-z]*/)[0]);
      if (row.nodes.length === 0) row.names.push(...launch.names);
      for (const field of ["calls", "time", "flops", "bytes", "floor"]) addTo(row.sums, field, launch[field]);
    }
  const list = [...rows.values()].map(({ sums, ...row }) => ({ ...row, ...sums }));
  const total = list.reduce((sum, row) => sum + (row.time || 0), 0);
  for (const row of list) {
    if (row.time === undefined) continue;
    row.share = total > 0 ? row.time / total : 0;
    if (row.floor !== undefined && row.time > 0) row.reached = row.floor / row.time;
  }
  return list.sort((a, b) => (b.time || 0) - (a.time || 0) || (b.flops || 0) - (a.flops || 0));
}

/** The errors of the values of each node before fusion. */
function errorsOfNodes(nodes, values) {
  const byName = new Map(values.map((value) => [value.name, value]));
  return nodes.map((node) => (node.values || []).map((name) => byName.get(name)).filter(Boolean));
}

/** For each node of `from` the numbers of the nodes of `to` with one of its names. */
function counterparts(from, to) {
  const isBoundary = (node) => categoryOf(node.op) === "boundary";
  const byName = new Map();
  to.forEach((node, at) => {
    for (const name of node.names) {
      const key = `${isBoundary(node) ? node.op : ""}\n${name}`;
      if (!byName.has(key)) byName.set(key, []);
      byName.get(key).push(at);
    }
  });
  return from.map((node) => [...new Set(node.names.flatMap((name) =>
    byName.get(`${isBoundary(node) ? node.op : ""}\n${name}`) || []))]);
}

/**
 * Gives each kernel node a label: the name of its main op. Its names may begin
 * with those of weights, which are no ops.
 */
function labelKernels(fn, toBefore) {
  const isMain = (node) => ["contraction", "attention"].includes(categoryOf(node.op));
  fn.after.nodes.forEach((node, at) => {
    const ops = toBefore[at].map((number) => fn.before.nodes[number]);
    const main = ops.find(isMain) || ops[0];
    node.label = main ? main.names[0] : node.names[0];
  });
}

function prepare(fn, data) {
  const all = launchesOf(data.profile);
  const own = new Set(fn.after.nodes.flatMap((node) =>
    (node.launches || []).map((launch) => launchKey(launch.kernel, node.names))));
  const isMain = data.profile && data.profile.function === fn.name;
  const profiled = new Map([...all].filter(([key]) => isMain || own.has(key)));
  const isProfiled = profiled.size > 0;
  const values = data.verification
    ? data.verification.values.filter((value) => value.function === fn.name) : [];
  const toBefore = counterparts(fn.after.nodes, fn.before.nodes);
  labelKernels(fn, toBefore);
  const work = workOfNodes(fn.after.nodes, profiled);
  return {
    ...fn,
    isProfiled,
    values,
    work,
    kernels: kernelRows(fn.after.nodes, work, profiled, isProfiled),
    errors: errorsOfNodes(fn.before.nodes, values),
    toAfter: counterparts(fn.before.nodes, fn.after.nodes),
    toBefore,
    layouts: {},
  };
}
