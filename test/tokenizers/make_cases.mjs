// make_cases.mjs PACKAGES OUT [--count=N] [--merges=N] [--seed=S] [KIND...]:
// writes a folder for each kind of tokenizer, with its files and with cases.json:
// strings and ids, and what Hugging Face's own library, the npm package
// `tokenizers` in PACKAGES/node_modules, answers.
import {createRequire} from 'module';
import {mkdirSync, writeFileSync} from 'fs';
import {kinds} from './kinds.mjs';
import {unigramKinds} from './unigram_kinds.mjs';
import {adversarial, basics, Random} from './adversarial.mjs';

const flags = {count: 10000, merges: 1000, seed: 1};
const names = [];
for (const argument of process.argv.slice(4)) {
  const flag = argument.match(/^--(count|merges|seed)=(\d+)$/);
  if (flag)
    flags[flag[1]] = Number(flag[2]);
  else
    names.push(argument);
}
const [packages, out] = process.argv.slice(2);
const hf = createRequire(packages + '/')('tokenizers');

async function encode(tokenizer, texts, addSpecialTokens) {
  const encodings = await tokenizer.encodeBatch(texts, {addSpecialTokens});
  return encodings.map(encoding => encoding.getIds());
}

async function cases(name, {json, newest = true}) {
  const tokenizer = hf.Tokenizer.fromString(JSON.stringify(json));
  const random = new Random(flags.seed * 1000003 + name.length);
  const tokens = json.added_tokens.map(token => token.content);
  const texts = basics(tokens);
  for (let made = 0; made < flags.count; made++)
    texts.push(adversarial(random, tokens, newest));
  const withSpecial = await encode(tokenizer, texts, true);
  const plain = await encode(tokenizer, texts, false);
  const size = tokenizer.getVocabSize(true);
  const lists = withSpecial.filter((_, i) => i % 5 === 0);
  for (let i = 0; i < flags.count / 5; i++)
    lists.push(Array.from({length: random.below(24)},
                          () => random.below(size + 3)));
  const same = (a, b) => a.length === b.length && a.every((x, i) => x === b[i]);
  return {
    size, byte_fallback: json.model.byte_fallback ?? false,
    tokens: Array.from({length: Math.min(size, 2000)}, (_, id) =>
      [id, tokenizer.idToToken(id)]).filter(([, token]) => token !== null),
    texts: texts.map((text, i) => same(withSpecial[i], plain[i])
      ? {text, ids: plain[i]}
      : {text, ids: withSpecial[i], plain: plain[i]}),
    decoded: (await Promise.all([false, true].map(skip =>
      tokenizer.decodeBatch(lists, skip)))).reduce((whole, skipped) =>
        lists.map((ids, i) => ({ids, whole: whole[i], skipped: skipped[i]})))};
}

for (const [name, make] of Object.entries({...kinds, ...unigramKinds})) {
  if (names.length && !names.includes(name))
    continue;
  const kind = make(hf, flags.merges);
  const folder = `${out}/${name}`;
  mkdirSync(folder, {recursive: true});
  const files = kind.files ?? {'tokenizer.json': JSON.stringify(kind.json)};
  for (const [file, content] of Object.entries(files))
    writeFileSync(`${folder}/${file}`, content);
  const made = await cases(name, kind);
  // One case a line.
  const lines = list => '[\n' + list.map(x => JSON.stringify(x)).join(',\n') +
    '\n]';
  writeFileSync(`${folder}/cases.json`,
    `{"size": ${made.size}, "byte_fallback": ${made.byte_fallback},\n` +
    `"tokens": ${JSON.stringify(made.tokens)},\n` +
    `"texts": ${lines(made.texts)},\n"decoded": ${lines(made.decoded)}}\n`);
}
