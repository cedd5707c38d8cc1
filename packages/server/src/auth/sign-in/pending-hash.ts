import { AsyncLocalStorage } from "node:async_hooks";

/** The address of whoever asked, and the hash that better-auth was about to write. */
type PendingHash = { ip: string; hash: string | null };

const scope = new AsyncLocalStorage<PendingHash>();

/**
 * Within `work` better-auth writes no password: it would write the password, end sessions and leave links one by one.
 * We write all of it in one transaction, from `heldPassword`.
 */
export function withPendingHash<T>(ip: string, work: () => Promise<T>): Promise<T> {
  return scope.run({ ip, hash: null }, work);
}

/** Asked before better-auth writes a way to sign in. @returns true for a new password, which we write ourselves */
export function captureHash({ password }: { password?: string | null | undefined }): boolean {
  const held = scope.getStore();
  if (!held || !password) return false;
  held.hash = password;
  return true;
}

/** The hash that was held back, and the address of whoever asked. Call it within `holdPassword`. */
export function pendingHash(): { hash: string; ip: string } {
  const held = scope.getStore();
  if (!held?.hash) throw new Error("better-auth wrote no password");
  return { hash: held.hash, ip: held.ip };
}
