// Trained weights, from the bytes of a .safetensors file, and what is computed with them.

/** The tensors of a file by name, each { shape, numbers }, and what the file says of itself. */
export function readTensors({ buffer, byteOffset, byteLength }) {
  const view = new DataView(buffer, byteOffset, byteLength);
  const start = 8 + view.getUint32(0, true); // of the weights; a length has eight bytes
  const header = new TextDecoder().decode(new Uint8Array(buffer, byteOffset + 8, start - 8));
  const { __metadata__: metadata, ...entries } = JSON.parse(header);
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets: [from, to] }] of Object.entries(entries)) {
    const [bytes, read] = NUMBERS[dtype];
    const numbers = new Float32Array((to - from) / bytes);
    for (let n = 0; n < numbers.length; n += 1) numbers[n] = read(view, start + from + bytes * n);
    tensors[name] = { shape, numbers };
  }
  return { about: JSON.parse(metadata.about), tensors };
}

/** Bytes of a number, and how it is read. */
const NUMBERS = {
  F32: [4, (view, at) => view.getFloat32(at, true)],
  F16: [2, (view, at) => half(view.getUint16(at, true))],
  I16: [2, (view, at) => view.getInt16(at, true)],
  I8: [1, (view, at) => view.getInt8(at)],
};

/** A float16 from its bits: sign, five of exponent, ten of fraction. */
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const size = exponent ? (1024 + (bits & 1023)) * 2 ** (exponent - 25) : (bits & 1023) * 2 ** -24;
  return bits >> 15 ? -size : size;
}

/** A matrix times a vector, plus a bias if there is one. */
export function linear({ shape: [rows, columns], numbers }, vector, bias) {
  const result = bias ? Float64Array.from(bias.numbers) : new Float64Array(rows);
  for (let row = 0, at = 0; row < rows; row += 1) {
    let total = result[row];
    for (let column = 0; column < columns; column += 1, at += 1) total += numbers[at] * vector[column];
    result[row] = total;
  }
  return result;
}

/** A row of a matrix, such as the vector of a word. */
export const rowOf = ({ shape: [, width], numbers }, row) => numbers.subarray(row * width, (row + 1) * width);
