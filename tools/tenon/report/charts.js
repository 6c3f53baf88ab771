// The roofline and the memory over time, as SVG.

/** A logarithmic axis from `low` to `high` over the pixels from `start` to `end`. */
function logAxis(low, high, start, end) {
  const ticks = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.floor(Math.log10(high)); ++power) ticks.push(10 ** power);
  const at = (value) => start + (Math.log10(value / low) / Math.log10(high / low)) * (end - start);
  return { low, high, ticks, at };
}

/** The rates that the machine allows: the peak, and the rate of each memory. */
function drawRoofs(picture, profile, x, y) {
  const line = (fromX, fromY, toX, toY) => picture.append(svgElement("path", { class: "roof",
    d: `M${x.at(fromX)} ${y.at(fromY)}L${x.at(toX)} ${y.at(toY)}` }));
  const memories = [["caches of the cores", profile.peak_cache_read], ["shared cache", profile.peak_shared_read],
    ["memory", profile.peak_memory_read]];
  const slope = (y.at(10) - y.at(1)) / (x.at(10) - x.at(1));
  for (const [name, rate] of memories) {
    const from = Math.max(x.low, y.low / rate), knee = Math.min(x.high, profile.peak_flops / rate);
    if (from >= knee) continue;
    line(from, from * rate, knee, knee * rate);
    const turn = (Math.atan(slope) * 180) / Math.PI;
    picture.append(svgElement("text", { transform: `translate(${x.at(from) + 8} ${y.at(from * rate) + 8 * slope - 7}) rotate(${turn})` },
      `${name} ${digits(rate / 1e9)} GB/s`));
  }
  line(Math.min(x.high, profile.peak_flops / profile.peak_cache_read), profile.peak_flops, x.high, profile.peak_flops);
  picture.append(svgElement("text", { x: x.at(x.high) - 4, y: y.at(profile.peak_flops) - 7, "text-anchor": "end" },
    `fused multiply-adds ${formatRate(profile.peak_flops)}`));
}

/**
 * Rate over intensity of the kernels with operations, on logarithmic axes. The
 * area of a circle is a share of the time.
 */
function roofline(fn, profile, choose) {
  const rows = fn.kernels.filter((row) => row.time > 0 && row.flops > 0 && row.bytes > 0);
  const points = rows.map((row) => ({ row, x: row.flops / row.bytes, y: row.flops / row.time }))
    .sort((a, b) => b.row.share - a.row.share);
  const hasPeaks = profile.peak_flops !== undefined;
  const rates = points.map((point) => point.y).concat(hasPeaks ? [profile.peak_flops, profile.peak_flops / 100] : []);
  const intensities = points.map((point) => point.x).concat([0.1, 100]);
  const width = 1360, height = 480;
  const x = logAxis(Math.min(...intensities) / 1.5, Math.max(...intensities) * 1.5, 62, width - 20);
  const y = logAxis(Math.min(...rates) / 1.8, Math.max(...rates) * 1.8, height - 50, 14);
  const picture = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart",
    "aria-label": "Roofline: operations per second of each kernel over its operations per byte" });
  for (const tick of x.ticks)
    picture.append(svgElement("path", { class: "grid", d: `M${x.at(tick)} 14V${height - 50}` }),
      svgElement("text", { x: x.at(tick), y: height - 32, "text-anchor": "middle" }, String(+tick.toPrecision(1))));
  for (const tick of y.ticks)
    picture.append(svgElement("path", { class: "grid", d: `M62 ${y.at(tick)}H${width - 20}` }),
      svgElement("text", { x: 54, y: y.at(tick) + 4, "text-anchor": "end" }, String(+(tick / 1e9).toPrecision(1))));
  picture.append(svgElement("text", { x: width / 2, y: height - 10, "text-anchor": "middle" }, "operations per byte"),
    svgElement("text", { transform: `translate(16 ${height / 2}) rotate(-90)`, "text-anchor": "middle" }, "GFLOP/s"));
  if (hasPeaks) drawRoofs(picture, profile, x, y);
  for (const point of points) {
    const { row } = point;
    const circle = svgElement("circle", { class: `point ${categoryOf(row.kind)}`, cx: x.at(point.x), cy: y.at(point.y),
      r: 4 + 24 * Math.sqrt(row.share) }, svgElement("title", {}, `${row.kernel}\n${formatTime(row.time)}, ` +
      `${formatShare(row.share)} of the time\n${formatRate(point.y)}, ${digits(point.x)} operations per byte`));
    circle.addEventListener("click", () => choose(row));
    picture.append(circle);
  }
  const without = fn.kernels.filter((row) => row.time > 0).length - rows.length;
  const source = hasPeaks
    ? `The rates are those of the machine that made the profile, measured with ${counted(profile.threads, "thread")} right after it. `
    : `The kernels ran on ${profile.device_name}, whose peaks are unknown. `;
  return [picture, element("p", { className: "note" }, source + "The area of a circle is the kernel's share of the time." +
    (without > 0 ? ` Not shown: ${counted(without, "kernel")} without operations on elements.` : ""))];
}

/** Each buffer as a rectangle: its steps across, its place in the arena down. */
function memoryChart(fn, choose) {
  const { bytes, buffers } = fn.memory;
  const left = 78, right = 16, top = 10, bottom = 40, width = 1360, height = 420;
  const steps = 2 + Math.max(...buffers.map((buffer) => buffer.last));
  const end = Math.max(bytes, ...buffers.map((buffer) => buffer.offset + buffer.bytes), 1);
  const px = (step) => left + (step / steps) * (width - left - right);
  const py = (offset) => height - bottom - (offset / end) * (height - top - bottom);
  const picture = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "chart",
    "aria-label": `Memory over time: ${buffers.length} buffers in an arena of ${formatBytes(bytes)}` });
  const step = 2 ** Math.floor(Math.log2(end / 4));
  for (let tick = 0; tick <= end; tick += step)
    picture.append(svgElement("path", { class: "grid", d: `M${left} ${py(tick)}H${width - right}` }),
      svgElement("text", { x: left - 8, y: py(tick) + 4, "text-anchor": "end" }, formatBytes(tick)));
  const stride = Math.max(1, Math.ceil(steps / 12));
  for (let tick = 0; tick < steps; tick += stride)
    picture.append(svgElement("text", { x: px(tick + 0.5), y: height - bottom + 18, "text-anchor": "middle" }, String(tick)));
  picture.append(svgElement("text", { x: (left + width - right) / 2, y: height - 4,
    "text-anchor": "middle" }, "steps of the run: inputs, kernels, outputs"));
  const live = new Array(steps).fill(0);
  for (const buffer of buffers) {
    for (let at = buffer.first; at <= buffer.last; ++at) live[at] += buffer.bytes;
    const node = fn.after.nodes[buffer.first];
    const box = svgElement("rect", { class: `buffer ${categoryOf(node.op)}`, x: px(buffer.first),
      y: py(buffer.offset + buffer.bytes), width: Math.max(1, px(buffer.last + 1) - px(buffer.first)),
      height: Math.max(1, py(buffer.offset) - py(buffer.offset + buffer.bytes)) },
      svgElement("title", {}, `${buffer.type}, ${formatBytes(buffer.bytes)} at ${formatBytes(buffer.offset)}\n` +
        `steps ${buffer.first} to ${buffer.last}, first written by ${nodeLabel(node)}`));
    box.addEventListener("click", () => choose(buffer.first));
    picture.append(box);
  }
  const most = Math.max(0, ...live);
  picture.append(svgElement("path", { class: "live", d: live.map((sum, at) =>
    `${at === 0 ? "M" : "L"}${px(at)} ${py(sum)}H${px(at + 1)}`).join("") }));
  return [picture, element("p", { className: "note" }, `The arena has ${formatBytes(bytes)}; at most ` +
    `${formatBytes(most)} of it are needed at one step. The line shows the bytes needed at each step. Weights, inputs, ` +
    "outputs and states are not in the arena.")];
}
