import type { ChatRequest } from "@foyer/sdk";
import type { Visit } from "../loader/visitor-session.ts";

/** What goes with a message of who sends it. */
export function whoSays({ identity, sessionId }: Visit): Partial<ChatRequest> {
  if (!identity) return { sessionId };
  const { userId, userEmail, userName, userHash, metadata } = identity;
  return {
    sessionId,
    userId,
    ...(userEmail ? { userEmail } : {}),
    ...(userName ? { userName } : {}),
    ...(userHash ? { userHash } : {}),
    ...(metadata ? { userMetadata: metadata } : {}),
  };
}
