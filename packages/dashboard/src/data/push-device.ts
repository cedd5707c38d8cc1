import { api } from "./api.ts";
import { describeDevice } from "./device-label.ts";
import { serverPath } from "./server-address.ts";

/**
 * Stored in this browser: the id of the user who turned on notices in it, and the subscription that was sent to the
 * server.
 */
const OWNER = "foyer.push-owner";
const REPORTED = "foyer.push-endpoint";

/** Why this browser cannot show notices, or null if it can. */
export function pushProblem(): string | null {
  if (!window.isSecureContext) return "Browsers show notifications only from pages that are served over HTTPS.";
  const isSupported = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  return isSupported ? null : "This browser cannot show notifications from a website.";
}

/** The URL by which the push service identifies this browser. Null while it is not subscribed. */
export async function readEndpoint(): Promise<string | null> {
  return (await readSubscription())?.endpoint ?? null;
}

/** Turns on notices in this browser after asking for permission. @throws an error with a message for the member */
export async function turnOnPush(userId: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error(
      "This browser blocks notifications from this page. Allow them in the site settings, then try again.",
    );
  }
  await report(await subscribe());
  localStorage.setItem(OWNER, userId);
}

/**
 * Keeps the notices of this browser if the member turned them on in it. The browser may have dropped or replaced its
 * subscription while the dashboard was closed. A subscription that the server already has is not sent again, because
 * the member may have removed it in another browser. `isNewSession` means that the session to which it belonged has
 * ended.
 *
 * If another member turned the notices on and their session has expired, this browser stops showing that member's
 * notices.
 */
export async function keepPush(userId: string, { isNewSession = false } = {}): Promise<void> {
  const owner = localStorage.getItem(OWNER);
  if (owner !== null && owner !== userId) await turnOffPush(undefined);
  if (owner !== userId) return;
  if (pushProblem() !== null || Notification.permission !== "granted") return;
  const subscription = (await readSubscription()) ?? (await subscribe());
  if (isNewSession || subscription.endpoint !== localStorage.getItem(REPORTED)) await report(subscription);
}

/** Stops notices in this browser. `id` is the subscription's on the server, if it still knows it. */
export async function turnOffPush(id: string | undefined): Promise<void> {
  localStorage.removeItem(OWNER);
  localStorage.removeItem(REPORTED);
  if (id !== undefined) await api.deletePushSubscription({ id });
  await (await readSubscription())?.unsubscribe();
}

async function subscribe(): Promise<PushSubscription> {
  await navigator.serviceWorker.register(serverPath("/dashboard/push-worker.js"), {
    scope: serverPath("/dashboard/"),
  });
  const { pushManager } = await navigator.serviceWorker.ready;
  const { publicKey } = await api.getPushKey();
  // A subscription for another key, for example from before the server was set up again, cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe();
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
}

async function readSubscription(): Promise<PushSubscription | null> {
  if (pushProblem() !== null) return null;
  const registration = await navigator.serviceWorker.getRegistration(serverPath("/dashboard/"));
  return (await registration?.pushManager.getSubscription()) ?? null;
}

async function report(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON();
  await api.createPushSubscription({
    body: {
      endpoint: endpoint ?? "",
      keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" },
      label: describeDevice(navigator.userAgent),
    },
  });
  localStorage.setItem(REPORTED, subscription.endpoint);
}
