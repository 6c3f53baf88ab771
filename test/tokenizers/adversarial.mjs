// Strings that tokenizers get wrong: white space of all kinds, contractions in
// any case, marks out of order, runs, line ends, characters that are not
// assigned, special tokens in words. The same seed makes the same strings.
import {corpus} from './corpus.mjs';

export class Random {
  constructor(seed) { this.state = seed >>> 0; }
  /// A whole number below `n`.
  below(n) {
    // mulberry32
    let t = this.state = (this.state + 0x6d2b79f5) >>> 0;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor(((t ^ (t >>> 14)) >>> 0) / 4294967296 * n);
  }
  of(list) { return list[this.below(list.length)]; }
}

const spaces = [...' \t\n\v\f\r\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004' +
  '\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'];
const nearSpaces = [...'\u200b\u200c\u200d\u2060\ufeff\u180e\u001c\u001d\u001e\u001f'];
const contractions = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'T",
  "'RE", "'Ve", "'vE", "'LL", "'lL", "'D", "'M", "'\u017f", "\u2019s", "''s",
  "'r", "'l", "'v", "'x", "'", "'é", "'1", "' s"];
const digits = [...'0123456789٠١٢٣٩०१२९๑๒๓０１９²³¹¼½Ⅳⅻ①⑩一二三🄀𝟘𝟗𐄇'];
const marks = [...'\u0300\u0301\u0302\u0303\u0308\u030a\u0316\u0323\u0327\u0328' +
  '\u0334\u0345\u05b0\u05b1\u064b\u0651\u093c\u094d\u0e38\u0e48\u3099\u309a' +
  '\u20d0\u1dfa\u1abf'];
const bases = [...'aeiouyAEIOUcCnNszZ' +
  'αωΑгйЙかがはパक가각각각Å\u212b\u1e9b\u0958\u2adc\ufb1d'];
const emoji = ['👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪🇫🇷', '🤷🏻‍♂️', '❤️', '1️⃣', '☕',
  '👨‍🚀', '🫠', '🪿', '🫨', '\u{1fae9}', '\u{1f1e6}'];
const punctuation = [..."!\"#$%&()*+,-./:;<=>?@[\\]^_`{|}~«»…—–„“”‚‘’¿¡§¶•·、。「」（）"];
const controls = [...'\0\u0001\u0007\b\u001b\u007f\u0080\u009f\u00ad\u061c\u200e' +
  '\u202e\ufff9\ufffc\ufffd\ufffe\uffff'];
const ligatures = [...'ﬁﬂﬀŉǅßẞİıſKΩµªºⓐ㍿㎏㋿℡Ａａ｡ﾊﾟ'];
const newer = [...'\u0897\u1c89\u1c8a\ua7cb\ua7dc\u{105c0}\u{105c9}\u{105d2}\u0307' +
  '\u{10d40}\u{10d69}\u{113c5}\u{16d67}\u{16d68}\u{16d40}\u{1e5d0}\u{1e5ee}' +
  '\u{2ebf0}\u{31350}\u{323b0}\u088f\u0c5c\ua7ce\u{11de0}\u{1ccd6}'];

// One or more of each class of the rules of graphemes.
const graphemes = [...'aeoqxé©®か\u0600\u06dd\u070f\u0d4e\u{110bd}\u0903\u0e33' +
  '\u1160\u11a8\u1100\uac00\uac01\u0915\u0937\u094d\u0ccd\u1039\u200c\u200d\u0301' +
  '\u0323\u0308\u030a\u3099\u00ad\u200b\u231a\u{1f44d}\u{1f3fd}\u{1f1e6}\u{1f1eb}' +
  '\u{e0020}\ufe0f', '\r', '\n', '\r\n', '\u0001'];

function codePoint(random) {
  const ranges = [[0, 0x7f], [0x80, 0x24f], [0x250, 0x2fff], [0x3000, 0xd7ff],
                  [0xe000, 0xffff], [0x10000, 0x1ffff], [0x20000, 0x3ffff],
                  [0xe0000, 0xe01ef], [0x100000, 0x10ffff]];
  const [first, last] = random.of(ranges);
  return String.fromCodePoint(first + random.below(last - first + 1));
}

function run(random, items) {
  const count = random.below(20) === 0 ? random.below(400)
                                       : 1 + random.below(6);
  return Array.from({length: count}, () => random.of(items)).join('');
}

function slice(random) {
  const characters = [...corpus];
  const at = random.below(characters.length);
  return characters.slice(at, at + 1 + random.below(40)).join('');
}

/// Strings that every kind is tried on, whatever the seed; `tokens` are texts of
/// added tokens.
export function basics(tokens) {
  return ['', ' ', 'a', '\n', '1 12 123 1234 1234567', "It's I'VE we'LL 'ſ ''s",
    'a  b   c \t\n\n d \r\n\r\n', 'e\u0301\u0323 \u1e69 가 Å',
    ...tokens.flatMap(token => [`x${token}y`, `x  ${token} \n y`])];
}

/// A string out of one to eight parts; `tokens` are texts of added tokens.
/// `newest`: with characters of Unicode's last versions.
export function adversarial(random, tokens, newest = true) {
  const kinds = [
    () => slice(random), () => slice(random), () => slice(random),
    () => run(random, spaces), () => run(random, [' ', '\n', '\r', '\r\n', '\t']),
    () => run(random, nearSpaces), () => random.of(contractions),
    () => random.of(['I', 'we', 'Они', '字', '9', ' ', '"', '']) +
      random.of(contractions) + random.of(['', ' ', 'x', '7', '.', '\n']),
    () => run(random, digits), () => run(random, [...'0123456789']),
    () => random.of(bases) + run(random, marks), () => run(random, bases),
    () => random.of(emoji), () => run(random, emoji),
    () => run(random, punctuation), () => random.of(controls),
    () => random.of(ligatures), () => run(random, [random.of(bases)]),
    () => run(random, graphemes), () => run(random, graphemes),
    () => run(random, [random.of(['=', '-', '.', ' ', '\n', 'ab', '▁', 'Ġ'])])];
  if (newest)
    kinds.push(() => codePoint(random), () => codePoint(random) +
      codePoint(random), () => run(random, newer),
      () => random.of(bases) + run(random, [...marks, '\u0897']));
  if (tokens.length)
    kinds.push(() => random.of(tokens), () => random.of([' ', '  ', '\n', 'a',
      'é', '7', '_', '', '\u00a0']) + random.of(tokens) + random.of([' ', '  ',
      '\n', 'b', '字', '8', '-', '', '\u3000']),
      () => random.of(tokens).slice(0, -1), () => run(random, tokens));
  let text = '';
  for (let parts = 1 + random.below(8); parts > 0; parts--)
    text += random.of(kinds)();
  return text.toWellFormed();
}
