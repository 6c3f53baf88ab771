// The tokenizers that the tests write: one for each kind of file, trained on the
// corpus. A kind is a function of Hugging Face's library and the number of merges
// that gives a tokenizer.json, and perhaps other files in its place. Those with a
// Unigram model are in unigram_kinds.mjs.
import {corpus} from './corpus.mjs';
import {train} from './train.mjs';

const gpt2 = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;
const llama3 = String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`;
const qwen2 = llama3.replace('{1,3}', '');
const gpt4o = String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`;

const byteLevel = {type: 'ByteLevel', add_prefix_space: false,
                   trim_offsets: true, use_regex: true};
const split = (pattern, behavior = 'Isolated', invert = false) =>
  ({type: 'Split', pattern, behavior, invert});
export const sequence = (key, steps) => ({type: 'Sequence', [key]: steps});
export const special = (content, more = {}) =>
  ({content, single_word: false, lstrip: false, rstrip: false,
    normalized: false, special: true, ...more});

/// `single` and `pair` are lists of tokens, '$A' and '$B'.
export function template(single, pair, ids) {
  const piece = (name, type_id) => name[0] === '$'
    ? {Sequence: {id: name[1], type_id}} : {SpecialToken: {id: name, type_id}};
  return {type: 'TemplateProcessing',
          single: single.map(name => piece(name, 0)),
          pair: pair.map(name => piece(name, name === '$B' ? 1 : 0)),
          special_tokens: Object.fromEntries(Object.entries(ids).map(
            ([name, id]) => [name, {id: name, ids: [id], tokens: [name]}]))};
}

export function file(model, parts) {
  return {version: '1.0', truncation: null, padding: null, added_tokens: [],
          normalizer: null, pre_tokenizer: null, post_processor: null,
          decoder: null, ...parts, model};
}

function bpe(tokens, merges, more = {}) {
  return {type: 'BPE', dropout: null, unk_token: null,
          continuing_subword_prefix: null, end_of_word_suffix: null,
          fuse_unk: false, byte_fallback: false, ignore_merges: false,
          vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
          merges, ...more};
}

/// What the steps of a tokenizer make of the corpus.
export function words(hf, parts) {
  const tokenizer = hf.Tokenizer.fromString(JSON.stringify(
    file(bpe(['a'], []), parts)));
  const normalizer = tokenizer.getNormalizer();
  const splitter = tokenizer.getPreTokenizer();
  return corpus.split('\n').flatMap(line => {
    const text = parts.normalizer ? normalizer.normalizeString(line + '\n')
                                  : line + '\n';
    return parts.pre_tokenizer
      ? splitter.preTokenizeString(text).map(([piece]) => piece) : [text];
  });
}

export function numbered(tokens, first) {
  return tokens.map((token, i) => ({id: first + i, ...token}));
}

/// A byte-level tokenizer.json; `first` are tokens of the vocabulary that come
/// first, `added` comes after it.
function ofBytes(hf, merges, parts, {first = [], added = [], model = {}} = {}) {
  const trained = train(words(hf, parts), hf.byteLevelAlphabet().sort(), merges);
  const tokens = [...first, ...trained.tokens];
  return file(bpe(tokens, trained.merges, model),
              {decoder: byteLevel, ...parts,
               added_tokens: [...first.map((content, id) =>
                                ({id, ...special(content)})),
                              ...numbered(added, tokens.length)]});
}

/// A tokenizer.json with byte fallback.
function ofCharacters(hf, merges, parts, {added = [], model = {}} = {}) {
  const bytes = Array.from({length: 256}, (_, byte) =>
    `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const text = words(hf, parts);
  // Rare characters have no token.
  const alphabet = [...new Set(text.join(''))].filter(
    c => c.codePointAt(0) < 0x500 || c === '\u2581').sort();
  const trained = train(text.flatMap(line => line.split(/(?=\u2581)/)),
                        alphabet, merges);
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...trained.tokens];
  return file(bpe(tokens, trained.merges,
                  {unk_token: '<unk>', fuse_unk: true, byte_fallback: true,
                   ...model}),
              {...parts,
               added_tokens: [{id: 0, ...special('<unk>')},
                              {id: 1, ...special('<s>')},
                              {id: 2, ...special('</s>')},
                              ...numbered(added, tokens.length)]});
}

const byteFallbackDecoder = sequence('decoders', [
  {type: 'Replace', pattern: {String: '\u2581'}, content: ' '},
  {type: 'ByteFallback'}, {type: 'Fuse'},
  {type: 'Strip', content: ' ', start: 1, stop: 0}]);
const bosTemplate = template(['<s>', '$A'], ['<s>', '$A', '<s>', '$B'],
                             {'<s>': 1});

function gpt2File(hf, merges) {
  return ofBytes(hf, merges,
                 {pre_tokenizer: byteLevel, post_processor: byteLevel},
                 {added: [special('<|endoftext|>')]});
}

/// The vocabulary and the merges of a tokenizer.json as files.
function asTwoFiles(json, vocabulary) {
  return {'vocab.json': JSON.stringify(vocabulary),
          'merges.txt': '#version: 0.2\n' +
            json.model.merges.map(pair => pair.join(' ') + '\n').join('')};
}

export const kinds = {
  'gpt2': (hf, merges) => ({json: gpt2File(hf, merges)}),

  'gpt2-files': (hf, merges) => {
    const json = gpt2File(hf, merges);
    const vocabulary = {...json.model.vocab};
    vocabulary['<|endoftext|>'] = json.added_tokens[0].id;
    json.model.vocab = vocabulary;
    return {json, files: asTwoFiles(json, vocabulary)};
  },

  'opt': (hf, merges) => {
    const first = ['<s>', '<pad>', '</s>', '<unk>'];
    const json = ofBytes(hf, merges, {pre_tokenizer: byteLevel}, {first});
    json.added_tokens = [1, 2].map(id => ({id, ...special(first[id])}));
    json.post_processor = template(['</s>', '$A'], ['</s>', '$A', '$B'],
                                   {'</s>': 2});
    const role = content => ({__type: 'AddedToken', content, lstrip: false,
                              normalized: true, rstrip: false,
                              single_word: false});
    return {json, files: {
      ...asTwoFiles(json, json.model.vocab),
      'tokenizer_config.json': JSON.stringify(
        {tokenizer_class: 'GPT2Tokenizer', add_bos_token: true,
         add_prefix_space: false, errors: 'replace', bos_token: role('</s>'),
         eos_token: role('</s>'), unk_token: role('</s>'),
         pad_token: role('<pad>')})}};
  },

  'llama3': (hf, merges) => {
    const parts = {pre_tokenizer: sequence('pretokenizers', [
      split({Regex: llama3}), {...byteLevel, use_regex: false}])};
    const added = ['<|begin_of_text|>', '<|end_of_text|>', '<|eot_id|>'].map(
      content => special(content));
    const json = ofBytes(hf, merges, parts,
                         {added, model: {ignore_merges: true}});
    // Tokens that no merge makes: only ignore_merges finds them.
    const vocabulary = json.model.vocab;
    for (const token of ['Ġunmerged', 'xyzzy', 'ĊĊĊĊ', '12', '123', '1234'])
      vocabulary[token] = Object.keys(vocabulary).length;
    json.added_tokens = numbered(added, Object.keys(vocabulary).length);
    const bos = json.added_tokens[0];
    json.post_processor = sequence('processors', [
      byteLevel, template([bos.content, '$A'],
                          [bos.content, '$A', bos.content, '$B'],
                          {[bos.content]: bos.id})]);
    return {json};
  },

  'qwen2': (hf, merges) => ({json: ofBytes(hf, merges, {
    normalizer: {type: 'NFC'},
    pre_tokenizer: sequence('pretokenizers', [
      split({Regex: qwen2}), {...byteLevel, use_regex: false}]),
    post_processor: byteLevel},
    {added: [special('<|endoftext|>'), special('<|im_start|>'),
             special('<|im_end|>'), special('<think>', {special: false})]})}),

  'qwen2-files': (hf, merges) => {
    const {json} = kinds.qwen2(hf, merges);
    const decoder = Object.fromEntries(json.added_tokens.map(
      ({id, ...token}) => [id, token]));
    return {json, files: {
      ...asTwoFiles(json, json.model.vocab),
      'tokenizer_config.json': JSON.stringify(
        {tokenizer_class: 'Qwen2Tokenizer', add_prefix_space: false,
         added_tokens_decoder: decoder, bos_token: null,
         eos_token: '<|im_end|>', pad_token: '<|endoftext|>',
         additional_special_tokens: ['<|im_start|>', '<|im_end|>']})}};
  },

  'llama2': (hf, merges) => ({json: ofCharacters(hf, merges, {
    normalizer: sequence('normalizers', [
      {type: 'Prepend', prepend: '\u2581'},
      {type: 'Replace', pattern: {String: ' '}, content: '\u2581'}]),
    post_processor: bosTemplate, decoder: byteFallbackDecoder})}),

  'llama2-normalized': (hf, merges) => {
    // The first files of Llama 2 have special tokens that are normalized.
    const {json} = kinds.llama2(hf, merges);
    for (const token of json.added_tokens)
      token.normalized = true;
    json.added_tokens.push({id: Object.keys(json.model.vocab).length,
                            ...special('[INST]', {normalized: true,
                                                  special: false})});
    return {json};
  },

  'mistral': (hf, merges) => ({json: ofCharacters(hf, merges, {
    pre_tokenizer: {type: 'Metaspace', replacement: '\u2581',
                    prepend_scheme: 'first', split: false},
    post_processor: bosTemplate, decoder: byteFallbackDecoder},
    {added: [special('[INST]', {special: false}),
             special('</tool>', {rstrip: true})]})}),

  'metaspace': (hf, merges) => {
    const json = ofCharacters(hf, merges, {
      pre_tokenizer: {type: 'Metaspace', replacement: '\u2581',
                      prepend_scheme: 'always', split: true},
      decoder: {type: 'Metaspace', replacement: '\u2581',
                prepend_scheme: 'always', split: true}},
      {model: {byte_fallback: false, fuse_unk: false}});
    return {json};
  },

  'added': (hf, merges) => ({json: ofBytes(hf, merges, {
    normalizer: {type: 'NFC'}, pre_tokenizer: byteLevel},
    {added: [special('<left>', {lstrip: true}),
             special('<right>', {rstrip: true}),
             special('<both>', {lstrip: true, rstrip: true}),
             special('word', {single_word: true, special: false}),
             special('<alone>', {single_word: true, lstrip: true,
                                 rstrip: true}),
             special('née', {normalized: true, special: false}),
             special('caf\u0065\u0301', {normalized: true, special: false}),
             special('<norm>', {normalized: true}),
             special('<nor', {normalized: true, special: false}),
             special('quartz', {normalized: true, single_word: true,
                                   special: false}),
             special('  ', {special: false}),
             special('\n\n', {special: false}),
             special('<le', {special: false}), special('eft>')]})}),

  'prefix-space': (hf, merges) => ({json: ofBytes(hf, merges, {
    pre_tokenizer: {...byteLevel, add_prefix_space: true}},
    {added: [special('<s>'), special('<mask>', {lstrip: true})],
     model: {unk_token: '<s>'}})}),

  'forms': (hf, merges) => ({json: ofBytes(hf, merges, {
    normalizer: sequence('normalizers', [
      {type: 'NFKC'},
      {type: 'Replace', pattern: {Regex: '[0-9]{2,}'}, content: '#'},
      {type: 'Replace', pattern: {String: 'ab'}, content: ''}]),
    pre_tokenizer: sequence('pretokenizers', [
      {type: 'Digits', individual_digits: true}, byteLevel])})}),

  'decomposed': (hf, merges) => ({json: ofBytes(hf, merges, {
    normalizer: {type: 'NFD'}, pre_tokenizer: sequence('pretokenizers', [
      {type: 'Digits', individual_digits: false},
      split({String: 'e'}, 'MergedWithPrevious'),
      split({Regex: '[aou]+'}, 'MergedWithNext'),
      {...byteLevel, use_regex: false}])})}),

  'compatible': (hf, merges) => ({json: ofBytes(hf, merges, {
    normalizer: {type: 'NFKD'}, pre_tokenizer: sequence('pretokenizers', [
      split({Regex: '\\s'}, 'Removed'), split({Regex: '[^i]*'}, 'Contiguous'),
      split({Regex: '[.,]+'}, 'Removed', true),
      {...byteLevel, use_regex: false}])})}),

  // An expression that has no loop of its own. The characters are those of which
  // all versions of Oniguruma think the same.
  'expression': (hf, merges) => ({json: ofBytes(hf, merges, {
    pre_tokenizer: sequence('pretokenizers', [
      split({Regex: gpt4o}), {...byteLevel, use_regex: false}])},
    {added: [special('<|endoftext|>')]}), newest: false}),
};
