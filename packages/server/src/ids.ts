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
  | "log";

/** A new TypeID such as `agent_01h455vb4pex5vsknk084sn02q`: UUIDv7 in base32, sortable by time of creation. */
export function newId(prefix: Prefix): string {
  return typeidUnboxed(prefix);
}

/** True when the text has the form of such an id, so that nothing else reaches the database. */
export function isId(prefix: Prefix, value: string): boolean {
  return (
    value.length === prefix.length + 27 &&
    value.startsWith(`${prefix}_`) &&
    /^[0-7][0-9a-z]{25}$/.test(value.slice(-26))
  );
}
