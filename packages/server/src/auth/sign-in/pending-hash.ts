import { AsyncLocalStorage } from "node:async_hooks";

/** The client's IP address, and the hash that better-auth was about to write. */
type PendingHash = { ip: string; hash: string | null };

const scope = new AsyncLocalStorage<PendingHash>();

/**
 * Prevents better-auth from writing a password during `work`. It would write the password and end the sessions in
 * separate statements, and would not delete links. We do all of this in one transaction, with `pendingHash`.
 */
export function withPendingHash<T>(ip: string, work: () => Promise<T>): Promise<T> {
  return scope.run({ ip, hash: null }, work);
}

/** Called before better-auth writes an identity. @returns true for a new password, which we write ourselves */
export function captureHash({ password }: { password?: string | null | undefined }): boolean {
  const pending = scope.getStore();
  if (!pending || !password) return false;
  pending.hash = password;
  return true;
}

/** The captured hash and the client's IP address. Call it within `withPendingHash`. */
export function requirePendingHash(): { hash: string; ip: string } {
  const held = scope.getStore();
  if (!held?.hash) throw new Error("better-auth wrote no password");
  return { hash: held.hash, ip: held.ip };
}
