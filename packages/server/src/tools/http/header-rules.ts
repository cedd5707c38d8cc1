import { checkAll, invalid } from "../../errors.ts";

const MAX_HEADERS = 50;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;

/** RFC 9110 (before it 7230), section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Above U+00FF a character has no byte to be sent as. */
const sendable = /^[ -~\u0080-\u00ff]*$/;

/** What frames a message or belongs to one hop is the sender's own. */
const reserved = new Set([
  ..."host content-length transfer-encoding connection keep-alive te trailer upgrade expect".split(" "),
]);

/**
 * Checks headers that a tenant lets us send. Values may hold `{{NAME}}`; what is filled in is checked when it is sent.
 * @param path where the headers stand, such as `httpHeaders`
 * @throws AppError 400 with the path of every invalid header
 */
export function checkHeaders(path: string, headers: Record<string, string>): void {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw invalid(path, `must have at most ${MAX_HEADERS} headers`, "max_items");
  const seen = new Set<string>();
  const checks = entries.map(([name, value]) => () => {
    const lower = name.toLowerCase();
    const problem = nameProblem(name, lower) ?? (seen.has(lower) ? "is there twice" : valueProblem(value));
    if (problem) throw invalid(`${path}.${printable(name)}`, problem, "not_allowed");
    seen.add(lower);
  });
  checkAll(checks);
}

function nameProblem(name: string, lower: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return `must have a name of at most ${MAX_NAME_LENGTH} characters`;
  if (!token.test(name)) return "is not a header name: letters, digits and - only";
  if (lower === "__proto__") return "is not a header name that can be kept";
  if (reserved.has(lower) || lower.startsWith("proxy-")) return "is set by the service itself and cannot be given";
  return null;
}

function valueProblem(value: string): string | null {
  if (value.length > MAX_VALUE_LENGTH) return `must be at most ${MAX_VALUE_LENGTH} characters long`;
  return sendable.test(value) ? null : "must not hold line breaks, control characters or characters beyond Latin-1";
}

/** The name goes into an answer and a log line. */
function printable(name: string): string {
  return name.slice(0, 100).replaceAll(/[^ -~]/g, "?");
}
