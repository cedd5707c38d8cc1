import { checkAll, invalid } from "../../errors.ts";

const MAX_HEADERS = 50;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;

/** RFC 9110 (previously RFC 7230), section 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters above U+00FF cannot be sent in a header. */
const sendable = /^[ -~\u0080-\u00ff]*$/;

/** Headers that frame a message or apply to a single hop. Only the HTTP client sets them. */
const reserved = new Set([
  ..."host content-length transfer-encoding connection keep-alive te trailer upgrade expect foyer-visitor".split(" "),
]);

/**
 * Checks headers that a member configures. Values may contain `{{NAME}}`; the inserted value is checked when it is
 * sent.
 * @param path the path of the headers, such as `httpHeaders`
 * @throws AppError 400 with the path of every invalid header
 */
export function checkHeaders(path: string, headers: Record<string, string>): void {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) throw invalid(path, `must have at most ${MAX_HEADERS} headers`, "max_items");
  const seen = new Set<string>();
  const checks = entries.map(([name, value]) => () => {
    const lower = name.toLowerCase();
    const problem = nameProblem(name, lower) ?? (seen.has(lower) ? "occurs twice" : valueProblem(value));
    if (problem) throw invalid(`${path}.${quoteName(name)}`, problem, "not_allowed");
    seen.add(lower);
  });
  checkAll(checks);
}

function nameProblem(name: string, lower: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return `must have a name of at most ${MAX_NAME_LENGTH} characters`;
  if (!token.test(name)) return "is not a valid header name. Use letters, digits and -";
  if (lower === "__proto__") return "cannot be used as a header name";
  if (reserved.has(lower) || lower.startsWith("proxy-")) return "is set by the server and cannot be configured";
  return null;
}

function valueProblem(value: string): string | null {
  if (value.length > MAX_VALUE_LENGTH) return `must be at most ${MAX_VALUE_LENGTH} characters long`;
  return sendable.test(value) ? null : "must not contain line breaks, control characters or characters outside Latin-1";
}

/** The name is included in a response and a log entry. */
function quoteName(name: string): string {
  return name.slice(0, 100).replaceAll(/[^ -~]/g, "?");
}
