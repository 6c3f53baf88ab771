// Tables that sort by a click on a heading.

/**
 * A table of `rows`. A column has `name`, `of(row)`, and for numbers `show`;
 * `title` explains it. `choose(row)` runs for the button in the first column.
 */
function sortedTable(columns, rows, choose, caption) {
  const body = element("tbody", {});
  const heads = columns.map((column, at) => element("th", { scope: "col", className: column.show ? "number" : "" },
    element("button", { type: "button", title: column.title || `Sort by ${column.name}`, onclick: () => sortBy(at) },
      column.name)));
  let sorted = -1, down = true;
  const lines = rows.map((row) => {
    const cells = columns.map((column, at) => {
      const value = column.of(row);
      const text = column.show ? column.show(value) : value;
      if (at > 0 || !choose) return element("td", { className: column.show ? "number" : "", title: column.long ? value : "" }, text);
      return element("th", { scope: "row" },
        element("button", { type: "button", className: "node-link", onclick: () => choose(row) }, text));
    });
    const share = columns.find((column) => column.bar);
    if (share && share.of(row) !== undefined) {
      const cell = cells[columns.indexOf(share)];
      cell.classList.add("bar");
      cell.style.setProperty("--share", share.of(row));
    }
    return { row, line: element("tr", {}, ...cells) };
  });
  function sortBy(at) {
    down = sorted === at ? !down : Boolean(columns[at].show);
    sorted = at;
    const value = columns[at].of;
    lines.sort((a, b) => {
      const x = value(a.row), y = value(b.row);
      if (x === y) return 0;
      if (x === undefined || x === null) return 1;
      if (y === undefined || y === null) return -1;
      return (x < y ? -1 : 1) * (down ? -1 : 1);
    });
    heads.forEach((head, i) => {
      if (i === at) head.setAttribute("aria-sort", down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    body.replaceChildren(...lines.map((each) => each.line));
  }
  body.replaceChildren(...lines.map((each) => each.line));
  return element("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...heads)), body));
}

function kernelTable(fn, choose) {
  const columns = [
    { name: "kernel", of: (row) => row.kernel },
    { name: "nodes", of: (row) => [...new Set(row.names)].join(", "), long: true },
    fn.isProfiled
      ? { name: "calls", of: (row) => row.calls, show: formatCount, title: "Calls in a run" }
      : { name: "launches", of: (row) => row.launches, show: formatCount, title: "Places that launch it" },
  ];
  if (fn.isProfiled)
    columns.push({ name: "time", of: (row) => row.time, show: formatTime, title: "Time of all calls in a run" },
      { name: "share", of: (row) => row.share, show: formatShare, bar: true, title: "Share of the time in kernels" });
  columns.push({ name: "work", of: (row) => row.flops, show: formatFlops, title: "Operations on elements" },
    { name: "bytes", of: (row) => row.bytes, show: formatBytes, title: "Bytes of all tensors read and written, each once" });
  if (fn.kernels.some((row) => row.floor !== undefined))
    columns.push({ name: "floor", of: (row) => row.floor, show: formatTime,
      title: "The least time this machine could need: the work at the peak rate or the bytes at the rate of their cache" },
    { name: "reached", of: (row) => row.reached, show: formatShare, title: "The floor over the time" });
  return sortedTable(columns, fn.kernels, choose, counted(fn.kernels.length, "kernel"));
}

function errorTable(fn, choose) {
  const columns = [
    { name: "value", of: (value) => value.name },
    { name: "type", of: (value) => value.type },
    { name: "largest difference", of: (value) => value.max_absolute, show: formatError },
    { name: "relative", of: (value) => value.max_relative, show: formatError },
    { name: "result", of: (value) => value.same ? "agrees" : "differs" },
  ];
  return sortedTable(columns, fn.values, choose, `${counted(fn.values.length, "value")} compared with the reference`);
}
