/** What somebody did, by the call or the event as the log names it. */
const words: Record<string, string> = {
  "POST /agents": "Made an agent",
  "PATCH /agents/:id": "Changed an agent",
  "DELETE /agents/:id": "Deleted an agent",
  "POST /agents/:id/identity-secret/rotate": "Replaced an identity secret",
  "POST /tools": "Made a tool",
  "PUT /tools/:id": "Changed a tool",
  "DELETE /tools/:id": "Deleted a tool",
  "POST /tools/:id/test": "Tried a tool out",
  "POST /tools/:id/webhook-secret/rotate": "Replaced a signing secret",
  "POST /triggers": "Made a trigger",
  "PUT /triggers/:id": "Changed a trigger",
  "POST /triggers/:id/toggle": "Switched a trigger on or off",
  "DELETE /triggers/:id": "Deleted a trigger",
  "DELETE /conversations/:id": "Deleted a conversation",
  "POST /conversations/:id/feedback": "Rated a reply",
  "POST /chat/:conversationId/stop": "Stopped a reply",
  "POST /form-submissions/:id/retry": "Delivered a submission again",
  "POST /form-submissions/retry": "Delivered failed submissions again",
  "DELETE /form-submissions/:id": "Deleted a submission",
  "POST /secrets": "Added a secret",
  "PUT /secrets/:name": "Replaced a secret",
  "DELETE /secrets/:name": "Deleted a secret",
  "PUT /models/providers/:provider": "Set up a model provider",
  "DELETE /models/providers/:provider": "Removed a model provider's settings",
  "POST /models/providers/:provider/test": "Tested a model provider",
  "POST /api-keys": "Made an API key",
  "DELETE /api-keys/:id": "Revoked an API key",
  "POST /invitations": "Invited somebody",
  "DELETE /invitations/:id": "Took an invitation back",
  "PATCH /members/:id": "Changed a member's role",
  "DELETE /members/:id": "Removed a member",
  "accept-invitation": "Joined by an invitation",
  "change-password": "Changed their password",
  "reset-password": "Set a new password by a link",
  "sign-in": "Signed in",
  "sign-out": "Signed out",
};

/** In words; what this version has none for stands as it is. */
export function wordsFor(action: string): string {
  return words[action] ?? action;
}
