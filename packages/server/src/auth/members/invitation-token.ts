import type { Encryption } from "../../encryption.ts";

/**
 * The token in the link of an emailed invitation. It proves that the address received the email. The link that an admin
 * copies has no token, so its recipient has to verify the address.
 */
export function createInvitationToken(encryption: Encryption, invitationId: string): string {
  return encryption.sign("invitation", invitationId);
}

export function isInvitationToken(encryption: Encryption, invitationId: string, token: string): boolean {
  return encryption.verify("invitation", invitationId, token);
}
