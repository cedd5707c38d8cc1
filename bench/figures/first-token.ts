import { ms, type Row, times } from "../figure.ts";
import { addedToFirstToken } from "../time-to-first-token.ts";

const LIMIT_MS = 15;

/** The delay that Foyer adds for a visitor. */
export async function measureFirstToken(): Promise<Row[]> {
  const { subject, baseline } = await addedToFirstToken(50);
  return [
    {
      figure: "Added time to first token (p99), 50 streams",
      measured: ms(subject),
      baseline: `${ms(baseline)} (fetch by hand)`,
      ratio: times(subject / baseline),
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: subject <= LIMIT_MS,
    },
  ];
}
