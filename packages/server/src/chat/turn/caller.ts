import type { Proof } from "../../conversations/access.ts";
import type { ReplyLog } from "../running/run-reply.ts";
import type { VisitHeaders } from "./visit-context.ts";

/** The caller of the chat. `ip` is null when limits by address do not apply. */
export type Caller = {
  ip: string | null;
  origin: string | undefined;
  log: ReplyLog;
  proof: Omit<Proof, "userId">;
  /** the organization of the member whose session made the request, such as from the playground */
  memberOf: string | null;
  visit: VisitHeaders;
};
