/** What the placeholders of canned replies stand for. `null` is an unknown value. */
type Facts = { visitorName: string | null; visitorEmail: string | null; memberName: string | null; agentName: string };

/** A placeholder with the spaces before it. */
const placeholder = /([ \t]*)\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * Fills in the known facts. An unknown value is removed together with the space before it, so that
 * "Hello {{visitor.name}}," becomes "Hello,". Other placeholders stay, and `findUnfilled` names them.
 */
export function fillCannedText(text: string, { visitorName, visitorEmail, memberName, agentName }: Facts): string {
  const facts = new Map([
    ["visitor.name", visitorName],
    ["visitor.email", visitorEmail],
    ["member.name", memberName],
    ["agent.name", agentName],
  ]);
  return text.replace(placeholder, (written, space: string, name: string) => {
    const value = facts.get(name);
    if (value === undefined) return written;
    return value ? space + value : "";
  });
}

/** The placeholders that are still in the text, each once. */
export function findUnfilled(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(/\{\{\s*[^\s{}][^{}]*\}\}/g), ([written]) => written))];
}

/**
 * The search that the user types after a `/`: the text between the slash and the caret, and the position of the slash.
 * The search can have several words, on one line.
 */
export function findSlashSearch(text: string, caret: number): { at: number; query: string } | null {
  const match = /(?:^|\s)\/((?:[^\s/][^\n/]{0,60})?)$/.exec(text.slice(0, caret));
  if (!match) return null;
  const query = match[1] ?? "";
  return { at: caret - query.length - 1, query: query.toLowerCase() };
}

/** The name that the user types after an `@`, like `findSlashSearch`. */
export function findMentionSearch(text: string, caret: number): { at: number; query: string } | null {
  const match = /(?:^|[^\p{L}\p{N}_.])@([\p{L}\p{N}][^\n@]{0,60})?$/u.exec(text.slice(0, caret));
  if (!match) return null;
  const query = match[1] ?? "";
  return { at: caret - query.length - 1, query: query.toLowerCase() };
}

type Reply = { name: string; text: string };

/**
 * The replies whose name and text contain all words of the query. Those whose name starts with it come first, then
 * those with all words in the name. Otherwise, and without a query, those that fit the visitor's message come first.
 * @param fitting the replies that fit best, best first
 */
export function filterReplies<R extends Reply>(replies: readonly R[], query: string, fitting: readonly R[] = []): R[] {
  const words = query.split(/\s+/).filter((word) => word !== "");
  const rank = ({ name, text }: Reply) => {
    const lower = name.toLowerCase();
    if (words.length > 0 && lower.startsWith(query.trim())) return 0;
    if (words.every((word) => lower.includes(word))) return 1;
    const all = `${lower} ${text.toLowerCase()}`;
    return words.every((word) => all.includes(word)) ? 2 : 3;
  };
  const fit = (reply: R) => {
    const at = fitting.indexOf(reply);
    return at === -1 ? fitting.length : at;
  };
  return replies
    .map((reply) => ({ reply, rank: rank(reply), fit: fit(reply) }))
    .filter((entry) => entry.rank < 3)
    .sort((a, b) => a.rank - b.rank || a.fit - b.fit)
    .slice(0, MAX_SHOWN)
    .map(({ reply }) => reply);
}

const MAX_SHOWN = 8;
const MAX_FITTING = 3;
/** The number of letters by which words are compared, so that "refunds" fits "refund". */
const STEM_LENGTH = 6;
/** Shorter words, such as "the", are in most texts. */
const MIN_WORD_LENGTH = 4;

/**
 * The three replies that share the rarest words with a message, best first. A word counts by how few replies have it,
 * and three times in a name.
 */
export function findFitting<R extends Reply>(replies: readonly R[], message: string): R[] {
  const asked = toStems(message);
  if (asked.size === 0) return [];
  const indexed = replies.map((reply) => ({ reply, name: toStems(reply.name), text: toStems(reply.text) }));
  const weights = new Map(
    [...asked].map((stem) => {
      const count = indexed.filter(({ name, text }) => name.has(stem) || text.has(stem)).length;
      return [stem, count === 0 ? 0 : Math.log(1 + replies.length / count)];
    }),
  );
  return indexed
    .map(({ reply, name, text }) => {
      let score = 0;
      for (const [stem, weight] of weights) score += name.has(stem) ? 3 * weight : text.has(stem) ? weight : 0;
      return { reply, score };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_FITTING)
    .map(({ reply }) => reply);
}

function toStems(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter(({ length }) => length >= MIN_WORD_LENGTH).map((word) => word.slice(0, STEM_LENGTH)));
}
