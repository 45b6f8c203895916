// The arithmetic of attention, on plain arrays: what the explorers compute in the page.

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

export const dot = (a, b) => a.reduce((total, number, n) => total + number * b[n], 0);

export const transposed = (matrix) => matrix[0].map((_, j) => matrix.map((row) => row[j]));

/** rows (n, d) times columns (d, m): (n, m). */
export function matmul(left, right) {
  const columns = transposed(right);
  return left.map((row) => columns.map((column) => dot(row, column)));
}

/** Scores to weights. A closed place gets 0; where all are closed, nothing can be shared: NaN. */
export function softmax(scores, open = scores.map(() => true)) {
  const largest = Math.max(...scores.filter((_, j) => open[j]));
  const powers = scores.map((score, j) => (open[j] ? Math.exp(score - largest) : 0));
  const total = sum(powers);
  return powers.map((power) => power / total);
}

/** In nats. */
export const entropy = (weights) => -sum(weights.map((w) => (w > 0 ? w * Math.log(w) : 0)));

/** The sum of the values (n, d), each times its weight (n). */
export function context(weights, values) {
  return values[0].map((_, axis) => sum(weights.map((weight, j) => weight * values[j][axis])));
}
