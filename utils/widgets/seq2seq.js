// The course's trained translators, computed in the page as utils/seq2seq.py computes them: an LSTM
// encoder, decoders with dot, additive or no attention, greedy search and beam search.

import { context, dot, softmax } from "./arithmetic.js";
import { linear, readTensors, rowOf } from "./tensors.js";

const SPECIALS = ["<pad>", "<unk>", "<sos>", "<eos>"];
const [, UNK, SOS, EOS] = SPECIALS.keys();

// The rule of utils/corpora/text.py. JavaScript's own \w and \b know no é, and its \s differs.
const WORD = "[\\p{L}\\p{N}_]";
const END = `(?!${WORD})`; // of a word
const CLITIC = "'(?:s|m|d|re|ve|ll)";
const TOKEN = new RegExp([
  `(?:n't|${CLITIC})${END}`, // an English clitic, behind its word: 's n't
  "(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)'", // a French clitic, before its word: l' qu'
  "\\p{Nd}+(?:[.,:]\\p{Nd}+)+", // a number with points in it: 1,250.75 or 10:30
  `${WORD}+?(?=n't${END})`, // the word before n't
  `${WORD}+(?:-${WORD}+)*(?=${CLITIC}${END})`, // the word before 's
  `${WORD}+(?:['-]${WORD}+)*`, // any other word: aujourd'hui, t-shirt
  "[^\\p{White_Space}\\x1c-\\x1f]", // punctuation, one mark at a time
].join("|"), "gu");

/** The words and punctuation marks of a sentence, in lower case, with clitics split off. */
export function tokenise(text) {
  return text.normalize("NFC").toLowerCase().replaceAll("’", "'").match(TOKEN) ?? [];
}

/** A translator from the bytes of its .safetensors file: weights of 16 or 8 bits, and what it says of itself. */
export function readTranslator(file) {
  const { about, tensors: weights } = readTensors(file);
  for (const [name, { numbers: scales }] of Object.entries(weights)) { // whole numbers, with a scale for each row
    if (!name.endsWith(".scale")) continue;
    const { shape: [, width], numbers } = weights[name.replace(/\.scale$/, "")];
    numbers.forEach((number, n) => { numbers[n] = number * scales[Math.floor(n / width)]; });
  }
  return { name: about.name, decoder: about.decoder ?? about.name, about, weights,
    targetWords: [...SPECIALS, ...about.target_words],
    ids: new Map([...SPECIALS, ...about.source_words].map((word, id) => [word, id])) };
}

const joined = (...vectors) => Float64Array.from(vectors.flatMap((vector) => [...vector]));

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** One step of an LSTM: torch keeps its gates in the order input, forget, cell, output. */
function lstm(weights, network, direction, input, { hidden, cell }) {
  const part = (name) => weights[`${network}.${name}_l0${direction}`];
  const fromInput = linear(part("weight_ih"), input, part("bias_ih"));
  const fromState = linear(part("weight_hh"), hidden, part("bias_hh"));
  const size = hidden.length;
  const gate = (number, n) => fromInput[number * size + n] + fromState[number * size + n];
  const next = cell.map((old, n) => sigmoid(gate(1, n)) * old
    + sigmoid(gate(0, n)) * Math.tanh(gate(2, n)));
  return { hidden: next.map((value, n) => sigmoid(gate(3, n)) * Math.tanh(value)), cell: next };
}

/** What the decoder remembers of a sentence: all that depends on the source alone. */
function encode({ weights, ids }, words) {
  const embedded = words.map((word) => rowOf(weights["encoder.embedding.weight"],
    ids.get(word) ?? UNK));
  const size = weights["encoder.rnn.weight_hh_l0"].shape[1];
  const read = (vectors, direction) => {
    let state = { hidden: new Float64Array(size), cell: new Float64Array(size) };
    return vectors.map((vector) => {
      state = lstm(weights, "encoder.rnn", direction, vector, state);
      return state.hidden;
    });
  };
  const forward = read(embedded, "");
  const backward = read(embedded.toReversed(), "_reverse").toReversed();
  const states = forward.map((state, n) => joined(state, backward[n]));
  const project = weights["decoder.attention.U.weight"]; // the additive score's keys
  return { states, summary: joined(forward.at(-1), backward[0]),
    keys: project ? states.map((state) => linear(project, state)) : states };
}

function look(scores, source) {
  const shares = softmax([...scores]);
  return { scores, weights: shares, context: context(shares, source.states) };
}

/** Each kind of decoder: from the word before and the old state to the new state and what was found. */
const STEPS = {
  "no attention"({ weights }, source, y, old) {
    const state = lstm(weights, "decoder.rnn", "", joined(y, source.summary), old);
    return { state, scores: [], weights: [], context: source.summary };
  },
  dot({ weights }, source, y, old) { // update, then look
    const state = lstm(weights, "decoder.rnn", "", y, old);
    return { state, ...look(source.keys.map((key) => dot(state.hidden, key)), source) };
  },
  additive({ weights }, source, y, old) { // look, then update
    const query = linear(weights["decoder.attention.W.weight"], old.hidden);
    const v = weights["decoder.attention.v.weight"].numbers;
    const found = look(source.keys.map((key) => dot(key.map((u, n) => Math.tanh(query[n] + u)), v)),
      source);
    return { state: lstm(weights, "decoder.rnn", "", joined(y, found.context), old), ...found };
  },
};

/** One step of the decoder: state, scores, weights, context, and the log-probability of each word. */
function decode(model, source, last, old) {
  const { weights } = model;
  const vectors = weights["decoder.embedding.weight"]; // they are the output's rows, too
  const found = STEPS[model.decoder](model, source, rowOf(vectors, last), old);
  const readout = linear(weights["decoder.readout.weight"], joined(found.context, found.state.hidden),
    weights["decoder.readout.bias"]).map(Math.tanh);
  const logits = linear(vectors, readout, weights["decoder.output.bias"]);
  const largest = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
  return { ...found, logProbs: logits.map((logit) => logit - largest - total) };
}

/** The places of the largest numbers, best first. */
export const best = (numbers, count) => Array.from(numbers, (_, place) => place)
  .sort((a, b) => numbers[b] - numbers[a]).slice(0, count);

/**
 * Translate words; a beam of 1 is greedy search.
 *
 * Returns { words, winner, moments, steps }: the translation, as words and as ids; what the decoder did at
 * each of its steps, the last of which writes <eos>; and for each step of the search the partial
 * translations that were kept and those that were finished, each { ids, moments, total }, where total
 * is the sum of its log-probabilities.
 */
export function translate(model, source, beamSize = 1) {
  const memory = encode(model, source);
  const bridged = linear(model.weights["decoder.bridge.weight"], memory.summary,
    model.weights["decoder.bridge.bias"]).map(Math.tanh);
  const size = bridged.length / 2;
  const start = { hidden: bridged.slice(0, size), cell: bridged.slice(size) };
  const limit = 2 * source.length + 10;
  const steps = [];
  const finished = [];
  let kept = [{ ids: [], moments: [], total: 0 }];
  while (finished.length < beamSize) {
    const candidates = kept.flatMap((beginning) => {
      const moment = decode(model, memory, beginning.ids.at(-1) ?? SOS,
        beginning.moments.at(-1)?.state ?? start);
      return best(moment.logProbs, 2 * beamSize).map((id) => ({ beginning, moment, id,
        total: beginning.total + moment.logProbs[id] }));
    }).sort((a, b) => b.total - a.total).slice(0, 2 * beamSize)
      .map(({ beginning: { ids, moments }, moment, id, total }) => ({ ids: [...ids, id],
        moments: [...moments, moment], total }));
    const ended = ({ ids }) => ids.at(-1) === EOS;
    const done = candidates.slice(0, beamSize).filter((one) => ended(one) || one.ids.length === limit);
    finished.push(...done);
    kept = candidates.filter((one) => !ended(one)).slice(0, beamSize);
    steps.push({ kept, done });
  }
  const mean = ({ total, ids }) => total / ids.length;
  const winner = finished.reduce((first, one) => (mean(one) > mean(first) ? one : first));
  return { words: wordsOf(model, source, winner), winner, moments: winner.moments, steps };
}

/** What a partial translation says; for <unk> stands the word that it looked at. */
export function wordsOf({ targetWords }, source, { ids, moments }) {
  return ids.filter((id) => id !== EOS).map((id, step) => {
    const { weights } = moments[step];
    return id === UNK && weights.length ? source[best(weights, 1)[0]] : targetWords[id];
  });
}

/** The stretches of `words` that are not in `others` in the same order: [[from, to], …]. */
export function differences(others, words) {
  const longest = Array.from({ length: others.length + 1 }, () => new Array(words.length + 1).fill(0));
  for (let i = others.length - 1; i >= 0; i -= 1) {
    for (let j = words.length - 1; j >= 0; j -= 1) {
      longest[i][j] = others[i] === words[j] ? 1 + longest[i + 1][j + 1]
        : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const found = [];
  for (let i = 0, j = 0; j < words.length;) {
    if (i < others.length && others[i] === words[j]) { i += 1; j += 1; continue; }
    if (i < others.length && longest[i + 1][j] >= longest[i][j + 1]) { i += 1; continue; }
    if (found.at(-1)?.[1] === j) found.at(-1)[1] = j + 1;
    else found.push([j, j + 1]);
    j += 1;
  }
  return found;
}
