// Writes tables of character replacements as sentencepiece's files have them
// (tokenizers/CharsMap.h): a double-array trie and the replacements.

/// The nodes of a trie of byte strings: children by byte, and perhaps a value.
function trieOf(entries) {
  const root = {children: new Map(), value: null};
  for (const [key, value] of entries) {
    let node = root;
    for (const byte of Buffer.from(key)) {
      if (!node.children.has(byte))
        node.children.set(byte, {children: new Map(), value: null});
      node = node.children.get(byte);
    }
    node.value = value;
  }
  return root;
}

/// The units of a double array. Every node has a place of its own for its
/// children, so that the label of a unit tells its parent.
function unitsOf(root) {
  const taken = [true], bases = new Set();
  let first = 1; // no unit before it is free
  const place = labels => {
    while (taken[first])
      first++;
    for (let at = first;; at++) {
      const base = at ^ labels[0];
      if (!bases.has(base) && labels.every(label => !taken[base ^ label])) {
        bases.add(base);
        return base;
      }
    }
  };
  const units = new Map();
  const queue = [[root, 0, 0]];
  for (const [node, at, label] of queue) {
    const labels = [...node.children.keys()].sort((a, b) => a - b);
    if (node.value !== null)
      labels.unshift(0);
    const base = place(labels);
    for (const child of labels)
      taken[base ^ child] = true;
    const hasLeaf = node.value !== null;
    units.set(at, ((at ^ base) << 10 | (hasLeaf ? 0x100 : 0) | label) >>> 0);
    if (hasLeaf)
      units.set(base, (node.value | 1 << 31) >>> 0);
    for (const [byte, child] of node.children)
      queue.push([child, base ^ byte, byte]);
  }
  const last = Math.max(...units.keys(), ...bases);
  const list = new Uint32Array(Math.ceil((last + 1) / 256) * 256);
  for (let at = 0; at < list.length; at++)
    // The label of a free unit leads to no place of children.
    list[at] = units.get(at) ?? ((at ^ 1) & 0xff);
  return list;
}

/// The bytes of the table that writes `rules[key]` for `key`.
export function charsMap(rules) {
  let texts = '';
  const places = new Map();
  const entries = Object.entries(rules).map(([key, text]) => {
    if (!places.has(text)) {
      places.set(text, Buffer.byteLength(texts));
      texts += text + '\0';
    }
    return [key, places.get(text)];
  });
  const units = unitsOf(trieOf(entries));
  const result = Buffer.alloc(4 + 4 * units.length + Buffer.byteLength(texts));
  result.writeUInt32LE(4 * units.length, 0);
  units.forEach((unit, i) => result.writeUInt32LE(unit, 4 + 4 * i));
  result.write(texts, 4 + 4 * units.length);
  return result;
}

const blanks = '\t\n\f\r\u1680\u200b\u200e\u200f\u2028\u2029\u2581\ufeff\ufffd';
const controls = '\u0001\u0008\u000b\u000e\u001f\u007f\u008f\u009f';

/// A few rules of each sort: white space, control characters, ligatures, marks
/// that compose, and characters of which the classes of graphemes matter.
export const fewRules = {
  ...Object.fromEntries([...blanks, '\u00a0', '\u3000'].map(c => [c, ' '])),
  ...Object.fromEntries([...controls, '\u00ad', '\u200d'].map(c => [c, ''])),
  'ﬁ': 'fi', 'ﬂ': 'fl', '™': 'TM', '①': '1', '㌀': 'アパート', 'Ａ': 'A',
  'ａ': 'a', 'ﾊ': 'ハ', 'ﾊﾟ': 'パ', '…': '...', '½': '1⁄2', '©': '(c)',
  '\u0600': 'number', '\u0915': 'ka', '\u1100': 'g', '\uac00': 'ga',
  '\u{1f44d}': '+1', '\u{1f1e6}': 'A', '\u231a': 'watch', '\u0301': '´',
  'e\u0301': 'é', 'E\u0301': 'É', 'a\u030a': 'å', 'o\u0308': 'ö', 'q': 'k',
  'か\u3099': 'が', 'x\u0301\u0323': 'X', '\u0e33': 'am', '\u{110bd}': 'K'};

/// The rules of NFKC: characters that decompose, and pairs that compose.
export function nfkcRules() {
  const rules = {...fewRules};
  for (let c = 0; c < 0x30000; c++) {
    if (c >= 0xd800 && c < 0xe000 || c >= 0xac00 && c <= 0xd7a3)
      continue;
    const own = String.fromCodePoint(c), form = own.normalize('NFKC');
    if (form !== own)
      rules[own] ??= form;
    const parts = own.normalize('NFD');
    if (parts !== own && parts.normalize('NFC') === own)
      rules[parts] ??= own;
  }
  return rules;
}
