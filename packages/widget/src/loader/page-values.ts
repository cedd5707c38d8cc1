import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { isOfEveryObject, toJson } from "@foyer/sdk/to-json";
import type { KnownIdentity } from "./user-token.ts";
import { warnOfPage } from "./warn-of-page.ts";
import type { WidgetCore } from "./widget-core.ts";

/** The server's limits: characters of text, and bytes of JSON. */
const MAX_CHARACTERS = 320;
const MAX_HASH_CHARACTERS = 128;
const MAX_TOKEN_CHARACTERS = 40_000;
const MAX_METADATA_BYTES = 8_192;
const MAX_CONTEXT_BYTES = 4_096;
/** `window` or a DOM node leads to everything on the page, so a copy has to end somewhere. */
const MAX_VALUES = 2_000;

/** The values whose problems were reported. They are read again for each message, because the page may change them. */
const reported = new WeakSet<object>();

/**
 * Reads values that the page's code passed to a call. A value whose meaning is clear becomes sendable, such as an id
 * that is a number. Any other is left out, and `report` names them all in one warning.
 */
function createReader(call: string, value: object) {
  const problems: string[] = [];
  const leaveOut = (field: string, reason: string): void => void problems.push(`${field} (${reason})`);
  let count = 0;

  /** A copy of what JSON can represent. `parents` are the objects that contain the value. */
  function copy(field: string, read: () => unknown, parents: readonly unknown[] = []): unknown {
    try {
      const value = read();
      if (typeof value === "bigint") return String(value);
      if (typeof value !== "object" || value === null) return value;
      if (parents.includes(value)) return leaveOut(field, "contains itself");
      count += 1;
      if (count > MAX_VALUES) return count === MAX_VALUES + 1 ? leaveOut(field, "too large") : undefined;
      const inside = [...parents, value];
      const { toJSON } = value as { toJSON?: unknown };
      if (typeof toJSON === "function" && !isOfEveryObject(toJSON)) {
        return copy(field, () => toJSON.call(value, ""), inside);
      }
      const members = Object.keys(value).map((name) => [
        name,
        copy(`${field}.${name}`, () => Reflect.get(value, name), inside),
      ]);
      return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
    } catch {
      return leaveOut(field, "cannot be read");
    }
  }

  return {
    /** Nothing is reported for a value that is absent or empty. */
    text(field: string, value: unknown, max = MAX_CHARACTERS): string | undefined {
      const text = typeof value === "number" || typeof value === "bigint" ? String(value) : value;
      if (!text) return;
      if (typeof text !== "string") leaveOut(field, "not text");
      else if (text.length > max) leaveOut(field, `longer than ${max} characters`);
      else return text;
    },
    object(field: string, value: unknown, maxBytes: number): Record<string, unknown> | undefined {
      if (!value) return;
      const text = toJson(copy(field, () => value)) ?? "";
      if (!text.startsWith("{")) leaveOut(field, "not an object");
      else if (new TextEncoder().encode(text).length > maxBytes) leaveOut(field, `more than ${maxBytes} bytes of JSON`);
      else return JSON.parse(text);
    },
    report(): void {
      if (problems.length === 0 || reported.has(value)) return;
      reported.add(value);
      warnOfPage(call, problems.join(", "));
    },
  };
}

/** The visitor's identity with only what the server accepts. */
export function sendableIdentity({ identity }: Pick<WidgetCore["visitor"], "identity">): KnownIdentity | null {
  if (!identity) return null;
  const reader = createReader("identify", identity);
  const { userMetadata, metadata = userMetadata } = identity;
  const known = omitUndefined({
    userId: reader.text("userId", identity.userId) ?? "",
    userToken: reader.text("userToken", identity.userToken, MAX_TOKEN_CHARACTERS),
    userEmail: reader.text("userEmail", identity.userEmail),
    userName: reader.text("userName", identity.userName),
    userHash: reader.text("userHash", identity.userHash, MAX_HASH_CHARACTERS),
    metadata: reader.object("metadata", metadata, MAX_METADATA_BYTES),
  });
  reader.report();
  return known;
}

/** The context of the page with only what the server accepts, or null. */
export function sendableContext({ context }: Pick<WidgetCore["registry"], "context">): Record<string, unknown> | null {
  const reader = createReader("setContext", context);
  const known = reader.object("context", context, MAX_CONTEXT_BYTES) ?? null;
  reader.report();
  return known;
}
