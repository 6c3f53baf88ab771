// The tokenizers with a Unigram model that the tests write, as kinds.mjs has
// them. Scores are logarithms of how often a token occurs in the corpus.
import {charsMap, fewRules, nfkcRules} from './chars_map.mjs';
import {file, numbered, sequence, special, template, words} from './kinds.mjs';
import {train} from './train.mjs';

const metaspace = (scheme, split = true) =>
  ({type: 'Metaspace', replacement: '\u2581', prepend_scheme: scheme, split});
const precompiled = rules => ({type: 'Precompiled',
  precompiled_charsmap: charsMap(rules).toString('base64')});
const eosTemplate = template(['$A', '</s>'], ['$A', '</s>', '$B', '</s>'],
                             {'</s>': 1});
const bytes = Array.from({length: 256}, (_, byte) =>
  `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
const extraIds = count => Array.from({length: count}, (_, i) =>
  special(`<extra_id_${count - 1 - i}>`));

/// Tokens with the scores that `score(occurrences, all)` gives. Rare characters
/// have no token.
function scored(text, merges, score) {
  const alphabet = [...new Set(text.join(''))].filter(
    c => c.codePointAt(0) < 0x500 || c === '\u2581').sort();
  const whole = text.join('\0');
  const counts = train(text, alphabet, merges).tokens.map(
    token => [token, whole.split(token).length]);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.map(([token, count]) => [token, score(count, all)]);
}

const logarithm = (count, all) => Math.log(count / all);

function unigram(hf, merges, parts,
                 {first = [], added = [], score = logarithm, model = {}} = {}) {
  const roles = ['<pad>', '</s>', '<unk>'];
  const fixed = [...roles, ...first].map(token => [token, 0]);
  const tokens = [...fixed, ...scored(words(hf, parts), merges, score)];
  return {json: file(
    {type: 'Unigram', unk_id: 2, vocab: tokens, ...model},
    {post_processor: eosTemplate, decoder: metaspace('always'), ...parts,
     added_tokens: [...roles.map((token, id) => ({id, ...special(token)})),
                    ...numbered(added, tokens.length)]})};
}

export const unigramKinds = {
  // The files of T5 as Transformers writes them now.
  't5': (hf, merges) => unigram(hf, merges, {
    normalizer: sequence('normalizers', [
      precompiled(fewRules), {type: 'Strip', strip_left: false,
                              strip_right: true},
      {type: 'Replace', pattern: {Regex: ' {2,}'}, content: '\u2581'}]),
    pre_tokenizer: metaspace('always')}, {added: extraIds(10)}),

  // The files of T5 as they were first published.
  't5-old': (hf, merges) => unigram(hf, merges, {
    normalizer: precompiled(fewRules),
    pre_tokenizer: sequence('pretokenizers', [
      {type: 'WhitespaceSplit'}, metaspace('always')])},
    {added: extraIds(10), score: count => Math.round(4 * Math.log(count)) - 20}),

  'mt5': (hf, merges) => unigram(hf, merges, {
    normalizer: sequence('normalizers', [
      {type: 'Nmt'}, {type: 'NFKC'},
      {type: 'Replace', pattern: {Regex: ' {2,}'}, content: ' '}]),
    pre_tokenizer: metaspace('first', false),
    decoder: sequence('decoders', [{type: 'ByteFallback'},
                                   metaspace('first', false)])},
    {first: bytes, added: [special('<mask>', {lstrip: true})],
     model: {byte_fallback: true}}),

  // Bytes show each character that the table leaves or changes.
  'graphemes': (hf, merges) => unigram(hf, merges, {
    normalizer: precompiled(fewRules), decoder: null},
    {first: bytes, model: {byte_fallback: true}}),

  // Without steps around the model. Positive scores make two unknown characters
  // better than a token, and sums equal.
  'unigram': (hf, merges) => unigram(hf, merges,
    {pre_tokenizer: sequence('pretokenizers', [
      {type: 'WhitespaceSplit'}, metaspace('first')]),
     normalizer: {type: 'Strip', strip_left: true, strip_right: false},
     decoder: null, post_processor: null},
    {score: count => count % 7 + 12, added: [special('word', {
      single_word: true, normalized: true, special: false})]}),

  // Too large to be kept as a golden file.
  'nfkc': (hf, merges) => unigram(hf, merges, {
    normalizer: precompiled(nfkcRules()),
    pre_tokenizer: metaspace('always')},
    {first: bytes, added: extraIds(100), model: {byte_fallback: true}}),
};
