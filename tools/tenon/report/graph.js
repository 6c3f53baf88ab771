// The picture of a graph on a canvas: it draws only what is visible, and leaves
// out text that would be too small. The strip at the right shows the whole
// graph.

const stripWidth = 76, smallestText = 0.42;

class GraphView {
  /** `onSelect` gets the number of a node, or -1. */
  constructor(canvas, onSelect) {
    this.canvas = canvas;
    this.onSelect = onSelect;
    this.scale = 1;
    this.left = this.top = 0; // the graph's point in the corner of the canvas
    this.hits = new Set();
    this.selected = -1;
    this.near = new Set();
    this.labels = new Map();
    this.strip = document.createElement("canvas");
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.listen();
  }

  /** Shows `graph`; `paint(node)` is the fill of a node, `note(node)` a text. */
  show(graph, layout, paint, note) {
    Object.assign(this, { graph, layout, paint, note });
    this.labels.clear();
    this.hits = new Set();
    this.choose(-1);
    this.resize();
    this.fit();
  }

  refresh() {
    this.drawStrip();
    this.draw();
  }

  resize() {
    const ratio = devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    if (this.graph) this.refresh();
  }

  get room() { return this.width - stripWidth; }

  /** Shows the whole width, from the top; text stays readable. */
  fit() {
    const margin = 40;
    this.scale = Math.min(1, Math.max((this.room - margin) / this.layout.width, 0.7));
    const first = this.layout.x.length > 0 ? this.layout.x[this.firstNode()] : 0;
    this.left = this.layout.width * this.scale <= this.room - margin
      ? (this.layout.width - this.room / this.scale) / 2 : first - this.room / this.scale / 2;
    this.top = this.layout.height * this.scale <= this.height - margin
      ? (this.layout.height - this.height / this.scale) / 2 : -margin / 2 / this.scale;
    this.draw();
  }

  /** Shows all of the graph. */
  whole() {
    const margin = 24;
    this.scale = Math.min(1, (this.room - margin) / this.layout.width, (this.height - margin) / this.layout.height);
    this.left = (this.layout.width - this.room / this.scale) / 2;
    this.top = (this.layout.height - this.height / this.scale) / 2;
    this.draw();
  }

  firstNode() {
    let first = 0;
    this.graph.nodes.forEach((node, at) => { if (this.layout.y[at] < this.layout.y[first]) first = at; });
    return first;
  }

  /** Zooms by `factor` and keeps the point (x, y) of the canvas in place. */
  zoom(factor, x = this.room / 2, y = this.height / 2) {
    const scale = Math.min(3, Math.max(0.005, this.scale * factor));
    this.left += x / this.scale - x / scale;
    this.top += y / this.scale - y / scale;
    this.scale = scale;
    this.draw();
  }

  pan(x, y) {
    this.left -= x / this.scale;
    this.top -= y / this.scale;
    this.draw();
  }

  centre(node) {
    if (this.scale < 0.6) this.scale = 0.9;
    this.left = this.layout.x[node] - this.room / this.scale / 2;
    this.top = this.layout.y[node] - this.height / this.scale / 2;
    this.choose(node);
  }

  choose(node) {
    this.selected = node;
    this.near = new Set();
    this.lit = [];
    if (node >= 0)
      for (const [from, to] of this.graph.edges)
        if (from === node || to === node) {
          this.near.add(from === node ? to : from);
          this.lit.push(this.layout.route(from, to));
        }
    this.draw();
    this.onSelect(node);
  }

  mark(hits) {
    this.hits = new Set(hits);
    this.refresh();
  }

  nodeAt(x, y) {
    const at = [x / this.scale + this.left, y / this.scale + this.top];
    return this.graph.nodes.findIndex((node, i) =>
      Math.abs(this.layout.x[i] - at[0]) <= nodeWidth / 2 && Math.abs(this.layout.y[i] - at[1]) <= nodeHeight / 2);
  }

  listen() {
    const canvas = this.canvas;
    let held = null;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey) this.pan(-event.deltaY * lines - event.deltaX * lines, 0);
      else this.zoom(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      held = { x: event.offsetX, y: event.offsetY, moved: false, strip: event.offsetX > this.room };
      if (held.strip) this.goTo(event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) {
        const inside = event.offsetX <= this.room;
        canvas.style.cursor = inside && this.nodeAt(event.offsetX, event.offsetY) < 0 ? "grab" : "pointer";
        return;
      }
      if (held.strip) return this.goTo(event.offsetX, event.offsetY);
      if (!held.moved && Math.hypot(event.offsetX - held.x, event.offsetY - held.y) < 4) return;
      this.pan(event.offsetX - held.x, event.offsetY - held.y);
      Object.assign(held, { x: event.offsetX, y: event.offsetY, moved: true });
      canvas.style.cursor = "grabbing";
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved && !held.strip) this.choose(this.nodeAt(event.offsetX, event.offsetY));
      held = null;
    });
    canvas.addEventListener("dblclick", (event) => this.zoom(event.shiftKey ? 0.5 : 2, event.offsetX, event.offsetY));
    canvas.addEventListener("keydown", (event) => {
      const step = 80;
      const actions = {
        "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), "0": () => this.fit(),
        ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
        ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
        PageUp: () => this.pan(0, this.height * 0.9), PageDown: () => this.pan(0, -this.height * 0.9),
        Escape: () => this.choose(-1),
      };
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in actions)) return;
      event.preventDefault();
      actions[event.key]();
    });
  }

  /** Centres the point of the graph that the strip shows at (x, y). */
  goTo(x, y) {
    const { width, height } = this.layout;
    this.left = ((x - this.room - 8) / (stripWidth - 16)) * width - this.room / this.scale / 2;
    this.top = ((y - 8) / (this.height - 16)) * height - this.height / this.scale / 2;
    this.draw();
  }

  drawStrip() {
    const ratio = devicePixelRatio || 1;
    const { x, y, width, height } = this.layout;
    this.strip.width = Math.round(stripWidth * ratio);
    this.strip.height = Math.max(1, this.canvas.height);
    const to = this.strip.getContext("2d");
    to.scale(ratio, ratio);
    const across = (stripWidth - 16) / width, down = (this.height - 16) / height;
    const wide = Math.max(1.5, nodeWidth * across), high = Math.max(1, Math.min(8, nodeHeight * down));
    const put = (at) => to.fillRect(8 + x[at] * across - wide / 2, 8 + y[at] * down - high / 2, wide, high);
    this.graph.nodes.forEach((node, at) => {
      to.fillStyle = this.paint(at);
      put(at);
    });
    to.fillStyle = colour("hit");
    for (const at of this.hits) to.fillRect(4, 8 + y[at] * down - 1, stripWidth - 8, 2);
  }

  draw() {
    if (!this.graph || this.width === 0) return;
    const ratio = devicePixelRatio || 1;
    const to = this.canvas.getContext("2d");
    to.setTransform(ratio, 0, 0, ratio, 0, 0);
    to.clearRect(0, 0, this.width, this.height);
    to.save();
    to.beginPath();
    to.rect(0, 0, this.room, this.height);
    to.clip();
    to.scale(this.scale, this.scale);
    to.translate(-this.left, -this.top);
    this.drawEdges(to);
    this.drawNodes(to);
    to.restore();
    this.drawFrame(to);
    this.canvas.dataset.scale = this.scale.toFixed(4);
    this.canvas.dispatchEvent(new Event("drawn"));
  }

  curve(to, from, until) {
    const { x, y } = this.layout;
    const count = this.graph.nodes.length;
    const start = y[from] + nodeHeight / 2, end = y[until] - nodeHeight / 2, middle = (start + end) / 2;
    // An edge goes straight down beside the nodes of a layer.
    if (from >= count) {
      to.moveTo(x[from], y[from] - nodeHeight / 2);
      to.lineTo(x[from], start);
    } else {
      to.moveTo(x[from], start);
    }
    to.bezierCurveTo(x[from], middle, x[until], middle, x[until], end);
  }

  drawEdges(to) {
    const { y, segments } = this.layout;
    const count = this.graph.nodes.length;
    const bottom = this.top + this.height / this.scale;
    const visible = segments.filter(([from, until]) =>
      y[until] + nodeHeight >= this.top && y[from] - nodeHeight <= bottom);
    to.lineWidth = Math.min(4, 1.2 / Math.min(1, this.scale));
    to.strokeStyle = colour("edge");
    to.beginPath();
    for (const [from, until] of visible) this.curve(to, from, until);
    to.stroke();
    if (this.scale >= 0.3) {
      to.fillStyle = colour("edge");
      to.beginPath();
      for (const [, until] of visible) if (until < count) this.arrow(to, until);
      to.fill();
    }
    to.strokeStyle = to.fillStyle = colour("accent");
    to.lineWidth = Math.min(8, 2.2 / Math.min(1, this.scale));
    to.beginPath();
    for (const route of this.lit || [])
      for (let i = 0; i + 1 < route.length; ++i) this.curve(to, route[i], route[i + 1]);
    to.stroke();
    to.beginPath();
    for (const route of this.lit || []) this.arrow(to, route[route.length - 1]);
    to.fill();
  }

  arrow(to, node) {
    const x = this.layout.x[node], y = this.layout.y[node] - nodeHeight / 2;
    to.moveTo(x, y);
    to.lineTo(x - 4, y - 7);
    to.lineTo(x + 4, y - 7);
    to.closePath();
  }

  drawNodes(to) {
    const right = this.left + this.room / this.scale, bottom = this.top + this.height / this.scale;
    const withText = this.scale >= smallestText;
    const ink = colour("node-text"), quiet = colour("node-quiet"), hit = colour("hit"), accent = colour("accent");
    const surface = colour("surface"), outline = colour("outline");
    this.graph.nodes.forEach((node, at) => {
      const x = this.layout.x[at] - nodeWidth / 2, y = this.layout.y[at] - nodeHeight / 2;
      if (x > right || x + nodeWidth < this.left || y > bottom || y + nodeHeight < this.top) return;
      const fillColour = this.paint(at);
      to.beginPath();
      if (withText) to.roundRect(x, y, nodeWidth, nodeHeight, 7);
      else to.rect(x, y, nodeWidth, nodeHeight);
      to.fillStyle = withText ? surface : fillColour;
      to.fill();
      if (withText) {
        to.lineWidth = 1;
        to.strokeStyle = outline;
        to.stroke();
        to.fillStyle = fillColour;
        to.beginPath();
        to.roundRect(x, y, 7, nodeHeight, [7, 0, 0, 7]);
        to.fill();
      }
      if (this.hits.has(at) || at === this.selected || this.near.has(at)) {
        to.lineWidth = (at === this.selected ? 3 : 2) / Math.min(1, this.scale);
        to.strokeStyle = this.hits.has(at) && at !== this.selected ? hit : accent;
        to.beginPath();
        to.roundRect(x, y, nodeWidth, nodeHeight, 7);
        to.stroke();
      }
      if (!withText) return;
      const { title, name, note } = this.labelOf(to, at);
      to.font = "600 12px system-ui, sans-serif";
      to.fillStyle = ink;
      to.fillText(title, x + 15, y + 18);
      to.font = "11px system-ui, sans-serif";
      to.fillStyle = quiet;
      to.fillText(name, x + 15, y + 34);
      to.textAlign = "right";
      to.fillText(note, x + nodeWidth - 9, y + 18);
      to.textAlign = "left";
    });
  }

  /** The texts of a node, cut to its width. A name keeps its end. */
  labelOf(to, at) {
    let label = this.labels.get(at);
    if (label) return label;
    const node = this.graph.nodes[at];
    to.font = "11px system-ui, sans-serif";
    const note = this.note(at);
    const noteWidth = to.measureText(note).width;
    const name = cut(to, node.label || node.names[0] || (node.types || [""])[0], nodeWidth - 24, true);
    to.font = "600 12px system-ui, sans-serif";
    label = { note, name, title: cut(to, shortOp(node.op), nodeWidth - 32 - noteWidth, false) };
    this.labels.set(at, label);
    return label;
  }

  /** The strip, and the part of the graph that is visible. */
  drawFrame(to) {
    const { width, height } = this.layout;
    to.fillStyle = colour("strip");
    to.fillRect(this.room, 0, stripWidth, this.height);
    to.drawImage(this.strip, this.room, 0, stripWidth, this.height);
    const across = (stripWidth - 16) / width, down = (this.height - 16) / height;
    const x = Math.max(2, 8 + this.left * across), y = Math.max(2, 8 + this.top * down);
    const right = Math.min(stripWidth - 2, 8 + (this.left + this.room / this.scale) * across);
    const bottom = Math.min(this.height - 2, 8 + (this.top + this.height / this.scale) * down);
    to.strokeStyle = colour("accent");
    to.lineWidth = 1.5;
    to.strokeRect(this.room + x, y, Math.max(4, right - x), Math.max(4, bottom - y));
  }
}

/** `text` shortened to `width` with the current font of `to`. */
function cut(to, text, width, keepEnd) {
  if (to.measureText(text).width <= width) return text;
  let low = 0, high = text.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const part = keepEnd ? `…${text.slice(text.length - middle)}` : `${text.slice(0, middle)}…`;
    if (to.measureText(part).width <= width) low = middle;
    else high = middle - 1;
  }
  return keepEnd ? `…${text.slice(text.length - low)}` : `${text.slice(0, low)}…`;
}
