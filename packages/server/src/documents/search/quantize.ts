/** Scales the components to int8 by the largest one. The scale is not stored, because cosines do not depend on it. */
export function toInt8(vector: ArrayLike<number>): Buffer {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i] ?? 0));
  const components = new Int8Array(vector.length);
  for (let i = 0; i < vector.length; i++) components[i] = Math.round(((vector[i] ?? 0) / largest) * 127);
  return Buffer.from(components.buffer);
}

/** The number of 32-bit words that hold this many signs. */
export const signWordCount = (dimensions: number): number => Math.ceil(dimensions / 32);

/** A bit for each component, set where it is positive, padded to whole words. */
export function packSigns(vector: ArrayLike<number>): Buffer {
  const bytes = Buffer.alloc(4 * signWordCount(vector.length));
  for (let i = 0; i < vector.length; i++) {
    if ((vector[i] ?? 0) > 0) bytes[i >> 3] = (bytes[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return bytes;
}

/** The cosine of a question's vector and a passage's int8 components. */
export function cosineSimilarity(query: Float32Array, passage: Int8Array): number {
  let product = 0;
  let ofQuery = 0;
  let ofPassage = 0;
  for (let i = 0; i < query.length; i++) {
    const a = query[i] ?? 0;
    const b = passage[i] ?? 0;
    product += a * b;
    ofQuery += a * a;
    ofPassage += b * b;
  }
  return product / (Math.sqrt(ofQuery * ofPassage) || 1);
}
