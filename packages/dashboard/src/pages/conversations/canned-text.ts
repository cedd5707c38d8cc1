type Visitor = { userName: string | null; userEmail: string | null };

/** A placeholder with the spaces before it. */
const placeholder = /([ \t]*)\{\{\s*visitor\.(name|email)\s*\}\}/g;

/**
 * Fills in the known facts about the visitor. An unknown value is removed together with the space before it, so that
 * "Hello {{visitor.name}}," becomes "Hello,".
 */
export function fillCannedText(text: string, { userName, userEmail }: Visitor): string {
  return text.replace(placeholder, (_, space: string, name: string) => {
    const value = name === "name" ? userName : userEmail;
    return value ? space + value : "";
  });
}

/**
 * The search that the user types after a `/`: the text between the slash and the caret, and the position of the slash.
 */
export function findSlashSearch(text: string, caret: number): { at: number; query: string } | null {
  const match = /(?:^|\s)\/([^\s/]*)$/.exec(text.slice(0, caret));
  if (!match) return null;
  const query = match[1] ?? "";
  return { at: caret - query.length - 1, query: query.toLowerCase() };
}

/** The replies whose name or text contains the query. Those whose name starts with it come first. */
export function filterReplies<Reply extends { name: string; text: string }>(
  replies: readonly Reply[],
  query: string,
): Reply[] {
  const rank = ({ name, text }: Reply) => {
    const lower = name.toLowerCase();
    if (lower.startsWith(query)) return 0;
    if (lower.includes(query)) return 1;
    return text.toLowerCase().includes(query) ? 2 : 3;
  };
  return replies
    .map((reply) => ({ reply, rank: rank(reply) }))
    .filter((entry) => entry.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MAX_SHOWN)
    .map(({ reply }) => reply);
}

const MAX_SHOWN = 8;
