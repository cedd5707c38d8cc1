import type { Deps } from "../deps.ts";
import type { ApiKeys } from "./api-keys/api-keys.ts";
import type { Sessions } from "./sessions/sessions.ts";

/** The shared dependencies plus the two that only authentication uses. */
export type AuthDeps = Deps & { keys: ApiKeys; sessions: Sessions };
