// The dashboard's service worker shows notices while the dashboard is closed, and opens their subject.

// The server's address, which may have a path. The worker's scope is the dashboard.
const base = new URL("..", self.registration.scope);
/** @param path of a page or endpoint on this server, such as `/dashboard/agents` */
const addressOf = (path) => new URL(path.replace(/^\//, ""), base);

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  const options = { body, tag, renotify: true, icon: addressOf("/pages/icon.svg").href, data: { url } };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(addressOf(event.notification.data.url)));
});

// A window that shows another page is left alone, because a member may be writing there.
async function openPage(url) {
  if (url.origin !== self.location.origin) return;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = windows.find((client) => client.url === url.href);
  await (shown ? shown.focus() : self.clients.openWindow(url.href));
}

// A browser replaces its subscription from time to time. This sends the new one to the server under the old label. If
// the session has expired, the call fails, and the dashboard repeats it when it is opened.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

async function renew({ oldSubscription, newSubscription }) {
  const answer = await self.fetch(addressOf("/notices"));
  if (!answer.ok) return;
  const { devices } = await answer.json();
  const device = devices.find(({ endpoint }) => endpoint === oldSubscription?.endpoint);
  // Without an entry on the server, the member has signed out here or turned notices off.
  if (!device) return;
  const subscription = newSubscription ?? (await self.registration.pushManager.subscribe(oldSubscription.options));
  const { endpoint, keys } = subscription.toJSON();
  await send("POST", "/notices/push-subscriptions", { endpoint, keys, label: device.label });
  await send("DELETE", `/notices/push-subscriptions/${device.id}`);
}

function send(method, path, body) {
  const content = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return self.fetch(addressOf(path), { method, ...content });
}
