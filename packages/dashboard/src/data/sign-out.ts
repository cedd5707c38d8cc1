import { api } from "./api.ts";
import { turnOffPush } from "./push-device.ts";
import { isSignedOut, queryClient } from "./queries.ts";
import { serverPath } from "./server-address.ts";
import { notify } from "./toasts.ts";

const signInPath = () => serverPath("/dashboard/sign-in");
/** The maximum time that a push service that does not respond may delay the sign-out, in milliseconds. */
const PUSH_MS = 3_000;

const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("foyer.sign-out") : null;

/**
 * Signs out of this browser. All of its tabs leave the dashboard, so that the next person who signs in does not see
 * what was open or typed in them. The server ends the notices of the session, and the browser deletes its subscription.
 * An error appears as a toast.
 */
export async function signOut({ leaveTo = signInPath() } = {}): Promise<void> {
  try {
    await api.signOut();
  } catch (error) {
    // Without a session, there is nothing left to end.
    if (!isSignedOut(error)) {
      notify((error as Error).message, { isWrong: true });
      return;
    }
  }
  // Unsubscribing from push is best effort, so do not wait for it longer than `PUSH_MS`. Without the session, the
  // server sends no notifications to this browser.
  await Promise.race([turnOffPush(undefined).catch(() => {}), new Promise((resolve) => setTimeout(resolve, PUSH_MS))]);
  tabs?.postMessage(null);
  leave(leaveTo);
}

/** Leaves the dashboard when another tab signs out. @returns a function that stops it */
export function followSignOut(): () => void {
  const onSignOut = () => leave(signInPath());
  tabs?.addEventListener("message", onSignOut);
  return () => tabs?.removeEventListener("message", onSignOut);
}

function leave(path: string): void {
  queryClient.clear();
  location.assign(path);
}
