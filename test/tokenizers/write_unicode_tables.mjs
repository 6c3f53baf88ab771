// write_unicode_tables.mjs PACKAGES FOLDER: writes the tables of characters in
// FOLDER, which is tokenizers/. They are what Hugging Face's own library, the
// npm package `tokenizers` in PACKAGES/node_modules, takes for a letter, a
// number and a character of a word, and the characters that are younger than its
// tables for normalization. The classes of graphemes are Node's own, which must
// have Unicode 17 as the library does.
import {createRequire} from 'module';
import {writeFileSync} from 'fs';

const [packages, folder] = process.argv.slice(2);
const require = createRequire(packages + '/');
const hf = require('tokenizers');
const codePoints = 0x110000;
const isSurrogate = c => c >= 0xd800 && c < 0xe000;

function tokenizer(parts) {
  return hf.Tokenizer.fromString(JSON.stringify({
    version: '1.0', truncation: null, padding: null, added_tokens: [],
    normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null,
    model: {type: 'BPE', dropout: null, unk_token: null,
            continuing_subword_prefix: null, end_of_word_suffix: null,
            fuse_unk: false, byte_fallback: false, ignore_merges: false,
            vocab: {'\n': 0}, merges: []},
    ...parts}));
}

/// The characters that `expression` matches: they become pieces of their own.
function matched(expression, between) {
  const splitter = tokenizer({pre_tokenizer: {
    type: 'Split', pattern: {Regex: expression}, behavior: 'Isolated',
    invert: false}}).getPreTokenizer();
  const found = new Set();
  for (let base = 0; base < codePoints; base += 4096) {
    let text = '';
    for (let c = base; c < base + 4096; c++)
      if (!isSurrogate(c))
        text += between + String.fromCodePoint(c) + between;
    for (const [piece] of splitter.preTokenizeString(text)) {
      const characters = [...piece];
      if (characters.length === 1 && piece !== between)
        found.add(characters[0].codePointAt(0));
    }
  }
  return found;
}

/// The characters beside which a token of whole words is not found.
async function ofWords() {
  const token = tokenizer({added_tokens: [
    {id: 1, content: 'X', single_word: true, lstrip: false, rstrip: false,
     normalized: false, special: false}]});
  const found = new Set(['X'.codePointAt(0)]);
  for (let base = 0; base < codePoints; base += 1024) {
    const tried = [];
    let text = '';
    for (let c = base; c < base + 1024; c++)
      if (!isSurrogate(c) && c !== 10 && !found.has(c)) {
        text += '\n' + String.fromCodePoint(c) + 'X';
        tried.push(c);
      }
    const encoding = await token.encode(text + '\n', null,
                                        {addSpecialTokens: false});
    const seen = new Set();
    let record = -1;
    for (const id of encoding.getIds())
      if (id === 0)
        record++;
      else
        seen.add(record);
    tried.forEach((c, i) => seen.has(i) || found.add(c));
  }
  return found;
}

/// The characters that the library normalizes in another way than Node, which
/// has newer tables; and what such a character is composed of.
function younger() {
  const forms = {NFC: hf.nfcNormalizer(), NFD: hf.nfdNormalizer(),
                 NFKC: hf.nfkcNormalizer(), NFKD: hf.nfkdNormalizer()};
  const marks = [...'\u0334\u3099\u0316\u0301\u0315\u0345\u094d\u05b0\u0327'];
  const found = new Set();
  for (let c = 0; c < codePoints; c++) {
    if (isSurrogate(c))
      continue;
    const own = String.fromCodePoint(c);
    const texts = [own, own + '\u0301', '\u0915' + own, own + own];
    for (const mark of marks)
      texts.push('a' + mark + own, 'a' + own + mark);
    const text = texts.join('\n');
    for (const form in forms)
      if (forms[form].normalizeString(text) !== text.normalize(form)) {
        found.add(c);
        for (const part of own.normalize('NFD'))
          if (part.codePointAt(0) >= 0x10000)
            found.add(part.codePointAt(0));
      }
  }
  return found;
}

/// The class of each character for the rules of graphemes (UAX 29), by where
/// Node breaks strings that have it. Characters of class Other are left out, and
/// so are the syllables of Hangul, which a formula tells.
function graphemeClasses() {
  if (!process.versions.unicode.startsWith('17.'))
    throw new Error(`expected Unicode 17, got ${process.versions.unicode}`);
  const segmenter = new Intl.Segmenter('en', {granularity: 'grapheme'});
  const isOne = (...parts) =>
    [...segmenter.segment(parts.join(''))].length === 1;
  // Letters of Devanagari and the sign that links them; a picture; a sign that
  // stands before; jamos; half a flag.
  const ka = '\u0915', link = '\u094d', zwj = '\u200d', picture = '\u231a';
  const before = '\u0600', l = '\u1100', v = '\u1160', t = '\u11a8';
  const flag = '\u{1f1e6}';
  const classOf = own => {
    if (own === '\r' || own === '\n')
      return null;
    if (isOne('a', own)) {
      if (own === zwj)
        return 'Joiner';
      if (isOne(ka, own, ka))
        return 'Linker';
      if (isOne(ka, own, link, ka))
        return 'Extend';
      // These two differ only between pictures.
      return isOne(picture, own, zwj, picture) ? 'ExtendOnly' : 'Spacing';
    }
    if (isOne(own, 'a'))
      return 'Before';
    if (!isOne(before, own))
      return 'Control';
    if (isOne(own, zwj, picture))
      return 'Picture';
    if (isOne(ka, link, own))
      return 'Consonant';
    if (isOne(own, flag))
      return 'Flag';
    if (isOne(l, own))
      return isOne(own, v) && isOne(l, own, l) && !isOne(v, own) ? 'Lead'
        : isOne(v, own) ? 'Vowel' : null;
    return isOne(t, own) ? 'Tail' : isOne(v, own) ? 'Vowel' : null;
  };
  const found = [];
  for (let c = 0; c < codePoints; c++)
    if (!isSurrogate(c) && !(c >= 0xac00 && c <= 0xd7a3)) {
      const name = classOf(String.fromCodePoint(c));
      if (name)
        found.push([c, name]);
    }
  return found;
}

function writeGraphemes() {
  const ranges = [];
  for (const [c, name] of graphemeClasses()) {
    const last = ranges.at(-1);
    if (last && last[1] === c - 1 && last[2] === name)
      last[1] = c;
    else
      ranges.push([c, c, name]);
  }
  const hex = c => '0x' + c.toString(16);
  const lines = [''];
  for (const [first, last, name] of ranges) {
    const item = `{${hex(first)}, ${hex(last)}, ${name}},`;
    if (lines.at(-1).length + item.length > 74)
      lines.push('');
    lines[lines.length - 1] += (lines.at(-1) ? ' ' : '    ') + item;
  }
  writeFileSync(`${folder}/UnicodeGraphemes.cpp`,
`// The classes of characters for the rules of graphemes in Unicode 17.
// Written by test/tokenizers/write_unicode_tables.mjs.
#include "tokenizers/Graphemes.h"

namespace tenon::tokenizers {

using enum GraphemeClass;

// clang-format off
const GraphemeRange graphemeRanges[${ranges.length}] = {
${lines.join('\n')}
};
// clang-format on

} // namespace tenon::tokenizers
`);
  console.log('graphemeRanges', ranges.length);
}

function table(name, found) {
  const ranges = [];
  for (const c of [...found].sort((a, b) => a - b)) {
    if (ranges.length && ranges.at(-1)[1] === c - 1)
      ranges.at(-1)[1] = c;
    else
      ranges.push([c, c]);
  }
  let lines = `const CharacterRange ${name}[${ranges.length}] = {`, line = '';
  const hex = c => '0x' + c.toString(16);
  for (const [first, last] of ranges) {
    const item = `{${hex(first)}, ${hex(last)}},`;
    if (line.length + item.length > 74) {
      lines += `\n    ${line.trim()}`;
      line = '';
    }
    line += ' ' + item;
  }
  return [ranges.length, `${lines}\n    ${line.trim()}\n};\n`];
}

function write(file, opening, tables) {
  const made = tables.map(([name, found]) => table(name, found));
  writeFileSync(`${folder}/${file}`, `${opening}
// Written by test/tokenizers/write_unicode_tables.mjs.
#include "tokenizers/Unicode.h"

namespace tenon::tokenizers {

// clang-format off
${made.map(([, text]) => text).join('\n')}// clang-format on

} // namespace tenon::tokenizers
`);
  tables.forEach(([name], i) => console.log(name, made[i][0]));
}

write('UnicodeClasses.cpp',
      '// The letters and numbers of Unicode 16: general categories L and N.',
      [['letterRanges', matched('\\p{L}', '\u0001')],
       ['numberRanges', matched('\\p{N}', '\u0001')]]);
write('UnicodeWords.cpp',
      '// The characters of words in Unicode 16: letters, marks, digits, connectors.',
      [['wordRanges', await ofWords()]]);
write('UnicodeLater.cpp',
      '// Characters after Unicode 9 that compose, decompose or change places.',
      [['laterRanges', younger()]]);
writeGraphemes();
