/** A seeded source of choices: the same seed gives the same requests. */
export type Random = ReturnType<typeof createRandom>;

export function createRandom(seed: number) {
  let state = seed >>> 0;
  /** mulberry32: a number from 0 up to 1 */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    chance: (probability: number) => next() < probability,
    /** an integer from `min` to `max`, both inclusive */
    integer: (min: number, max: number) => min + Math.floor(next() * (max - min + 1)),
    pick<T>(values: readonly T[]): T {
      return values[Math.floor(next() * values.length)] as T;
    },
  };
}
