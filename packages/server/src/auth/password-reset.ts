import { AsyncLocalStorage } from "node:async_hooks";

/** Who asked for it, and the hash that better-auth was about to write. */
type Reset = { ip: string; hash: string | null };

const underWay = new AsyncLocalStorage<Reset>();

/** better-auth tells whose password was reset, but not by whom, and writes the password and ends sessions one by one. */
export function withReset<T>(ip: string, work: () => Promise<T>): Promise<T> {
  return underWay.run({ ip, hash: null }, work);
}

/** Asked before better-auth writes a way to sign in. @returns true for a new password, which we write ourselves */
export function isHeldBack({ password }: { password?: string | null | undefined }): boolean {
  const reset = underWay.getStore();
  if (!reset || !password) return false;
  reset.hash = password;
  return true;
}

/** The hash that was held back, and the address of who asked for it. */
export function heldBack(): { hash: string; ip: string } {
  const reset = underWay.getStore();
  if (!reset?.hash) throw new Error("better-auth wrote no password");
  return { hash: reset.hash, ip: reset.ip };
}
