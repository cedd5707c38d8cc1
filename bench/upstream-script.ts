/**
 * What the provider's stand-in says, told by the model's name so that it passes through every server unchanged.
 * `everyMs` 0 means as fast as it goes: one write for each turn of the event loop.
 */
export type Script = { tokens: number; everyMs: number; isStamped: boolean };

/** The last token of every reply without stamps; an answer without it is not complete. */
export const LAST_WORD = " the-last-word";

export function scriptName({ tokens, everyMs, isStamped }: Script): string {
  return `${tokens}-tokens-every-${everyMs}-ms${isStamped ? "-stamped" : ""}`;
}

export function parseScript(name: string): Script {
  const match = /^(\d+)-tokens-every-(\d+)-ms(-stamped)?$/.exec(name);
  if (!match) throw new Error(`${name} is no script.`);
  return { tokens: Number(match[1]), everyMs: Number(match[2]), isStamped: match[3] !== undefined };
}
