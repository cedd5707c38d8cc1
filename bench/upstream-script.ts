/**
 * The script of the provider's stand-in, encoded in the model's name so that it passes through every server unchanged.
 * With an `everyMs` of 0 it writes as fast as possible: once per turn of the event loop. With `calls`, it first calls
 * the tool `look_up` that many times concurrently, and sends its tokens when it has the results.
 */
export type Script = { tokens: number; everyMs: number; isStamped: boolean; calls?: number };

/** The last token of every reply without timestamps. A response without it is incomplete. */
export const LAST_WORD = " the-last-word";

/** The tool that is called, with `{ "item": 0 }`, `{ "item": 1 }` and so on, and its expected result. */
export const TOOL_NAME = "look_up";
export const TOOL_ANSWER = "We have four of these; the next delivery is on Tuesday.";

export function scriptName({ tokens, everyMs, isStamped, calls }: Script): string {
  return `${tokens}-tokens-every-${everyMs}-ms${isStamped ? "-stamped" : ""}${calls ? `-after-${calls}-calls` : ""}`;
}

export function parseScript(name: string): Script {
  const match = /^(\d+)-tokens-every-(\d+)-ms(-stamped)?(?:-after-(\d+)-calls)?$/.exec(name);
  if (!match) throw new Error(`${name} is no script.`);
  const [, tokens, everyMs, stamped, calls] = match;
  return {
    tokens: Number(tokens),
    everyMs: Number(everyMs),
    isStamped: stamped !== undefined,
    ...(calls ? { calls: Number(calls) } : {}),
  };
}
