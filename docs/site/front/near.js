// Words that are written nearly as another one is.

/** The number of letters to add, drop, change or swap with their neighbour, from one word to another. */
function distance(from, to) {
  const rows = [Array.from({ length: to.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= from.length; i += 1) {
    rows[i] = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      rows[i][j] = Math.min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + !same);
      if (from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        rows[i][j] = Math.min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[from.length][to.length];
}

/** At most `count` of the words that are near to one that is not among them, the nearest first. */
export function near(word, words, count = 3) {
  const reach = Math.max(1, Math.floor(word.length / 2.5));
  const stem = Math.max(3, word.length - 3); // walked, walking and walks are near, too
  return words.map((other) => ({ other,
    far: distance(word, other) - (other.startsWith(word.slice(0, stem)) ? 1 : 0) - (other[0] === word[0] ? 0.5 : 0) }))
    .filter(({ far }) => far <= reach).sort((a, b) => a.far - b.far).slice(0, count).map(({ other }) => other);
}
