// make_sentencepiece_cases.mjs OUT [--count=N] [KIND...]: trains a spiece.model of
// each kind with the tools of the sentencepiece library, and writes a folder with
// it and with cases.json: strings and ids, and what the tools answer.
import {execFileSync} from 'child_process';
import {mkdirSync, rmSync, writeFileSync} from 'fs';
import {adversarial, Random} from './adversarial.mjs';
import {fewRules} from './chars_map.mjs';
import {corpus} from './corpus.mjs';

const flags = {count: 10000, size: 700};
const names = [];
const [out, ...rest] = process.argv.slice(2);
for (const argument of rest) {
  const flag = argument.match(/^--(count|size)=(\d+)$/);
  if (flag)
    flags[flag[1]] = Number(flag[2]);
  else
    names.push(argument);
}

const t5 = ['--pad_id=0', '--eos_id=1', '--unk_id=2', '--bos_id=-1'];
const kinds = {
  'spiece-t5': ['--normalization_rule_name=nmt_nfkc'],
  'spiece-bytes': ['--normalization_rule_name=nfkc', '--byte_fallback=true',
                   '--user_defined_symbols=<sep>,ﬁx,ing the,\u2581\u2581'],
  'spiece-small': ['--normalization_rule_tsv=rules.tsv', '--byte_fallback=true',
                   '--user_defined_symbols=<sep>,\u00bd'],
  'spiece-spaces': ['--normalization_rule_name=identity',
                    '--remove_extra_whitespaces=false',
                    '--add_dummy_prefix=false'],
  'spiece-keep': ['--normalization_rule_name=nmt_nfkc_cf',
                  '--remove_extra_whitespaces=false'],
  'spiece-suffix': ['--normalization_rule_name=nmt_nfkc',
                    '--treat_whitespace_as_suffix=true'],
};

/// Rules with lines of code points, as the trainer reads them.
function rulesTsv() {
  const hex = text => [...text].map(
    c => c.codePointAt(0).toString(16).toUpperCase()).join(' ');
  return Object.entries(fewRules).map(
    ([key, text]) => `${hex(key)}\t${hex(text)}\n`).join('');
}

function run(folder, tool, options, lines) {
  return execFileSync(tool, options, {
    cwd: folder, input: lines?.map(line => line + '\n').join(''),
    maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'ignore']}).toString();
}

/// The lines of an answer, which has one for each line of the question.
function answers(text, count) {
  const lines = text.split('\n').slice(0, -1);
  if (lines.length !== count)
    throw new Error(`expected ${count} lines, got ${lines.length}`);
  return lines;
}

function cases(folder, name, random) {
  const model = '--model=spiece.model';
  // Lines end the strings, and T5's own tokens are no text for it.
  const texts = Array.from({length: flags.count}, () =>
    adversarial(random, name === 'spiece-t5' ? [] : ['<sep>', 'ﬁx', 'ing the']))
    .map(text => text.replace(/[\n\0]/g, ' ').replace(/<(?!sep>)/g, '(')
      .replace(/^\ufeff/, ''));
  const encoded = answers(run(folder, 'spm_encode',
    [model, '--output_format=id'], texts), texts.length);
  const ids = encoded.map(line => line.split(' ').filter(x => x).map(Number));
  const pieces = run(folder, 'spm_export_vocab', [model]).split('\n')
    .slice(0, -1).map(line => line.split('\t')[0]);
  const lists = ids.filter((_, i) => i % 5 === 0);
  for (let i = 0; i < flags.count / 5; i++)
    lists.push(Array.from({length: 1 + random.below(24)},
                          () => 3 + random.below(pieces.length - 3)));
  // Unknown characters have a sign of the library's own, and line ends would tear
  // the lines of the answer apart.
  const lineEnd = pieces.indexOf('<0x0A>');
  const decodable = lists.filter(
    list => list.length && !list.includes(2) && !list.includes(lineEnd));
  const texted = run(folder, 'spm_decode', [model, '--input_format=id'],
                     decodable.map(list => list.join(' ')));
  const decoded = answers(texted, decodable.length).map((text, i) =>
    ({ids: decodable[i], whole: text, skipped: text}));
  return {size: pieces.length + 100, byte_fallback: false,
          tokens: pieces.map((piece, id) => [id, piece]),
          texts: texts.map((text, i) =>
            ({text, ids: [...ids[i], 1], plain: ids[i]})), decoded};
}

for (const [name, options] of Object.entries(kinds)) {
  if (names.length && !names.includes(name))
    continue;
  const folder = `${out}/${name}`;
  mkdirSync(folder, {recursive: true});
  writeFileSync(`${folder}/corpus.txt`, corpus);
  writeFileSync(`${folder}/rules.tsv`, rulesTsv());
  run(folder, 'spm_train', ['--input=corpus.txt', '--model_prefix=spiece',
    '--model_type=unigram', `--vocab_size=${flags.size}`,
    '--hard_vocab_limit=false', '--character_coverage=0.98', '--num_threads=1',
    ...t5, ...options]);
  const made = cases(folder, name, new Random(name.length * 1000003));
  for (const file of ['corpus.txt', 'rules.tsv', 'spiece.vocab'])
    rmSync(`${folder}/${file}`);
  const lines = list => '[\n' + list.map(x => JSON.stringify(x)).join(',\n') +
    '\n]';
  writeFileSync(`${folder}/cases.json`,
    `{"size": ${made.size}, "byte_fallback": false,\n` +
    `"tokens": ${JSON.stringify(made.tokens)},\n` +
    `"texts": ${lines(made.texts)},\n"decoded": ${lines(made.decoded)}}\n`);
}
