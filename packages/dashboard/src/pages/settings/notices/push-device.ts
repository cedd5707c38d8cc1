import { api } from "../../../data/api.ts";
import { deviceLabel } from "./device-label.ts";

const WORKER = "/dashboard/push-worker.js";
const SCOPE = "/dashboard/";

/** Why this browser cannot show notices, or null if it can. */
export function pushProblem(): string | null {
  if (!window.isSecureContext) return "Browsers show notices only from pages that are served over HTTPS.";
  const isSupported = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  return isSupported ? null : "This browser cannot show notices of a website.";
}

/** The URL by which the push service identifies this browser. Null while it is not subscribed. */
export async function currentEndpoint(): Promise<string | null> {
  if (pushProblem() !== null) return null;
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  const subscription = await registration?.pushManager.getSubscription();
  return subscription?.endpoint ?? null;
}

/** Turns on notices in this browser after asking for permission. @throws an error with a message for the member */
export async function turnOnPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new Error("This browser blocks notices of this page. Allow them in the site settings, then try again.");
  }
  await navigator.serviceWorker.register(WORKER, { scope: SCOPE });
  const { pushManager } = await navigator.serviceWorker.ready;
  const { publicKey } = await api.getPushKey();
  // A subscription for another key, for example from before the server was set up again, cannot be used.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  const { endpoint, keys } = subscription.toJSON();
  await api.createPushSubscription({
    body: {
      endpoint: endpoint ?? "",
      keys: { p256dh: keys?.p256dh ?? "", auth: keys?.auth ?? "" },
      label: deviceLabel(navigator.userAgent),
    },
  });
}

/** Turns off notices in this browser. `id` identifies the subscription on the server, if it is still stored there. */
export async function turnOffPush(id: string | undefined): Promise<void> {
  if (id !== undefined) await api.deletePushSubscription({ id });
  const registration = await navigator.serviceWorker.getRegistration(SCOPE);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}
