// The language model of exercise 08, computed in the page as the notebook computes it.

import { context, dot, softmax, sum } from "./arithmetic.js";
import { linear, readTensors, rowOf } from "./tensors.js";

const EPSILON = 1e-5; // of a norm

// The cuts of the exercise: a space belongs to the word behind it. JavaScript's own \w and \s differ.
const LETTER = "\\p{L}\\p{N}_";
const SPACE = "\\p{White_Space}\\x1c-\\x1f";
const PIECE = new RegExp(`[${SPACE}]?[${LETTER}]+|[${SPACE}]?[^${LETTER}${SPACE}]+|[${SPACE}]+`, "gu");

/** A language model from the bytes of a file that utils/parts/page.py has packed. */
export function readLanguageModel(file) {
  const { about, tensors } = readTensors(file);
  for (const [name, { shape: [, width], numbers }] of Object.entries(tensors)) {
    const scales = tensors[`${name}.scale`]?.numbers; // a whole number times the scale of its row
    for (let n = 0; scales && n < numbers.length; n += 1) numbers[n] *= scales[Math.floor(n / width)];
  }
  const blocks = Array.from({ length: about.layers }, (_, n) => (name) => tensors[`blocks.${n}.${name}`]);
  return { about, tensors, blocks, tokens: about.tokens, pairs: about.pairs, known: new Map(),
    ids: new Map(about.tokens.map((token, id) => [token, id])) };
}

/** The ids of a text; a character that the model has never met becomes a space. */
export function encode({ ids, pairs, known }, text) {
  return (text.match(PIECE) ?? []).flatMap((piece) => {
    if (!known.has(piece)) known.set(piece, pairs.reduce(join, [...piece]));
    return known.get(piece);
  }).map((token) => ids.get(token) ?? ids.get(" "));
}

/** The tokens, in which the two of a pair are one wherever they are neighbours. */
function join(tokens, [first, second]) {
  const joined = [];
  for (const token of tokens) {
    if (joined.at(-1) === first && token === second) joined.push(joined.pop() + token);
    else joined.push(token);
  }
  return joined;
}

/** What a model keeps of the tokens that it has read: keys and values of each block. */
export const emptyCache = ({ blocks }) => blocks.map(() => ({ keys: [], values: [] }));

/**
 * Read one more token. Returns { logits, looks }: the logits of the next one, and the weights of each head,
 * block by block, over all tokens in the cache, which grows. Heads are off whose bit in `off` is set.
 */
export function readToken({ about: { heads }, tensors, blocks }, cache, id, off = 0) {
  const { "embedding.weight": embedding, places } = tensors;
  const size = Math.sqrt(embedding.shape[1]);
  const place = rowOf(places, cache[0].keys.length);
  let x = Float64Array.from(rowOf(embedding, id), (number, n) => number * size + place[n]);
  const add = (change) => { x = x.map((number, n) => number + change[n]); };
  const looks = [];
  blocks.forEach((part, number) => {
    const to = (name, vector) => linear(part(`${name}.weight`), vector, part(`${name}.bias`));
    const y = normed(x, part("norms.0.weight"), part("norms.0.bias"));
    const { keys, values } = cache[number];
    keys.push(to("attention.W_k", y));
    values.push(to("attention.W_v", y));
    const query = to("attention.W_q", y);
    const found = new Float64Array(query.length);
    const width = query.length / heads;
    for (let head = 0; head < heads; head += 1) {
      const own = (vector) => vector.subarray(head * width, (head + 1) * width);
      const weights = softmax(keys.map((key) => dot(own(query), own(key)) / Math.sqrt(width)));
      if (!(off & (1 << looks.length))) found.set(context(weights, values.map(own)), head * width);
      looks.push(weights);
    }
    add(to("attention.W_o", found));
    add(part("cross.W_o.bias").numbers); // there is no source to look at: the bias is all that it adds
    const hidden = to("feed_forward.0", normed(x, part("norms.2.weight"), part("norms.2.bias")));
    add(to("feed_forward.2", hidden.map((unit) => Math.max(0, unit))));
  });
  return { logits: linear(embedding, normed(x, tensors["norm.weight"], tensors["norm.bias"])), looks };
}

function normed(x, gamma, beta) {
  const mean = sum(x) / x.length;
  const variance = sum(x.map((number) => (number - mean) ** 2)) / x.length;
  const size = Math.sqrt(variance + EPSILON);
  return x.map((number, n) => (gamma.numbers[n] * (number - mean)) / size + beta.numbers[n]);
}

/** The chances among the `k` likeliest tokens, [[id, chance], …], the likeliest first. */
export function chancesOf(logits, temperature, k) {
  const ids = Array.from(logits, (_, id) => id).sort((a, b) => logits[b] - logits[a]).slice(0, k);
  const shares = softmax(ids.map((id) => logits[id] / temperature));
  return ids.map((id, n) => [id, shares[n]]);
}

/** The token at a uniform number from 0 to 1, with the chances side by side in the order of the ids. */
export function draw(chances, uniform) {
  let end = 0;
  const inOrder = [...chances].sort(([a], [b]) => a - b);
  return (inOrder.find(([, share]) => { end += share; return uniform < end; }) ?? inOrder.at(-1))[0];
}

/** The bits that a token costs whom these logits lead to expect others. */
export function bitsOf(logits, id) {
  const largest = Math.max(...logits);
  return Math.log2(sum(logits.map((logit) => Math.exp(logit - largest)))) + (largest - logits[id]) / Math.LN2;
}

/**
 * The proof that a file carries: a text that the model has written, its ids, and what the notebook found
 * behind its last tokens. Returns the largest difference; null if the page cuts the text otherwise.
 */
export function differenceFromNotebook(model) {
  const { text, ids } = model.about.proof;
  const cut = encode(model, text);
  if (cut.join() !== ids.join()) return null;
  const cache = emptyCache(model);
  const rows = cut.map((id) => readToken(model, cache, id).logits);
  const { shape: [count], numbers } = model.tensors["proof.logits"];
  return Math.max(...numbers.map((expected, n) => Math.abs(
    expected - rows.slice(-count)[Math.floor(n / rows[0].length)][n % rows[0].length])));
}
