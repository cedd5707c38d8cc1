export type ReadMail = {
  /** names in lower case; the values of a repeated header are joined by a line break */
  headers: Record<string, string>;
  subject: string;
  text: string;
  html: string | null;
};

/** Parses an email as a recipient's server receives it. Supports only what our own sender produces. */
export function readMail(raw: string): ReadMail {
  const { headers, parts } = readPart(raw);
  const partOf = (type: string) => parts.find((part) => part.type === type)?.content ?? null;
  return {
    headers,
    subject: decodeWords(headers.subject ?? ""),
    text: (partOf("text/plain") ?? "").replaceAll("\r\n", "\n").trimEnd(),
    html: partOf("text/html")?.trimEnd() ?? null,
  };
}

type Part = { type: string; content: string };

function readPart(raw: string): { headers: Record<string, string>; parts: Part[] } {
  const [, head = "", body = ""] = /^(.*?)\r\n\r\n(.*)$/s.exec(raw) ?? [];
  const headers = readHeaders(head);
  const type = headers["content-type"] ?? "text/plain";
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary === undefined) {
    const content = decodeBody(body, headers["content-transfer-encoding"]?.toLowerCase());
    return { headers, parts: [{ type: type.split(";", 1)[0] ?? "", content }] };
  }
  const inner = body.split(`--${boundary}`).slice(1, -1);
  return { headers, parts: inner.flatMap((part) => readPart(part.replace(/^\r\n/, "")).parts) };
}

function readHeaders(head: string): Record<string, string> {
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const groups = Map.groupBy(lines, (line) => line.slice(0, line.indexOf(":")).toLowerCase());
  return Object.fromEntries(
    [...groups].map(([name, group]) => [name, group.map((line) => line.slice(name.length + 1).trim()).join("\n")]),
  );
}

function decodeBody(body: string, encoding: string | undefined): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  return encoding === "quoted-printable" ? decodeQuoted(body.replace(/=\r\n/g, "")) : body;
}

/** Decodes `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`. The space between two of them is dropped. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_match, kind: string, word: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString("utf8")
        : decodeQuoted(word.replaceAll("_", " ")),
    );
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
