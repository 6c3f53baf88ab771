// A small trainer of byte pair encodings: merges the most frequent pair again and
// again. Ties go to the pair that comes first in the order of its texts.
export function train(words, alphabet, merges) {
  const counts = new Map();
  for (const word of words)
    counts.set(word, (counts.get(word) ?? 0) + 1);
  let list = [...counts].map(([word, count]) => [[...word], count]);
  const vocabulary = new Set(alphabet);
  const made = [];
  while (made.length < merges) {
    const pairs = new Map();
    for (const [symbols, count] of list)
      for (let i = 0; i + 1 < symbols.length; i++) {
        const pair = symbols[i] + '\0' + symbols[i + 1];
        pairs.set(pair, (pairs.get(pair) ?? 0) + count);
      }
    let best = null, most = 0;
    for (const [pair, count] of pairs)
      if (count > most || (count === most && pair < best))
        [best, most] = [pair, count];
    if (!best)
      break;
    const [left, right] = best.split('\0');
    if (vocabulary.has(left) && vocabulary.has(right)) {
      made.push([left, right]);
      vocabulary.add(left + right);
    }
    list = list.map(([symbols, count]) => {
      const result = [];
      for (let i = 0; i < symbols.length; i++) {
        if (symbols[i] === left && symbols[i + 1] === right) {
          result.push(left + right);
          i++;
        } else {
          result.push(symbols[i]);
        }
      }
      return [result, count];
    });
  }
  return {tokens: [...vocabulary], merges: made};
}
