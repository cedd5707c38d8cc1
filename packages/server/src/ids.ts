import { randomInt } from "node:crypto";
import { typeidUnboxed } from "typeid-js";

type Prefix =
  | "agent"
  | "conv"
  | "msg"
  | "tool"
  | "trigger"
  | "key"
  | "org"
  | "user"
  | "member"
  | "identity"
  | "sub"
  | "delivery"
  | "session"
  | "verification"
  | "invitation"
  | "link"
  | "log"
  | "recipient"
  | "doc"
  | "file"
  | "att"
  | "source"
  | "erasure"
  | "webhook"
  | "evt"
  | "note"
  | "reply"
  | "tag"
  | "push"
  | "channel"
  | "thread"
  | "post"
  | "test"
  | "run"
  | "replay"
  | "hnd"
  | "team"
  | "view"
  | "bulk";

/** A new TypeID such as `agent_01h455vb4pex5vsknk084sn02q`: UUIDv7 in base32, sortable by time of creation. */
export function newId(prefix: Prefix): string {
  return typeidUnboxed(prefix);
}

/** True when the text has the format of such an id. Other texts never reach the database. */
export function isId(prefix: Prefix, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-z]{25}$/.test(value.slice(-26))
  );
}

const lettersAndDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new id of a tool call: nine letters and digits, because Mistral refuses every other format. */
export function newCallId(): string {
  return Array.from({ length: 9 }, () => lettersAndDigits[randomInt(lettersAndDigits.length)]).join("");
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Sorts before every id created at this time (milliseconds) or later, and after all earlier ids. */
export function firstIdAt(prefix: Prefix, instant: number): string {
  const value = BigInt(instant) << 80n;
  const digits = Array.from({ length: 26 }, (_, place) => alphabet[Number((value >> BigInt((25 - place) * 5)) & 31n)]);
  return `${prefix}_${digits.join("")}`;
}
