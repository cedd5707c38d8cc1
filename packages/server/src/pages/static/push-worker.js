// The dashboard's service worker shows notices while the dashboard is closed, and opens their subject.

self.addEventListener("push", (event) => {
  const { title, body, url, tag } = event.data.json();
  const options = { body, tag, renotify: true, icon: "/pages/icon.svg", data: { url } };
  event.waitUntil(self.registration.showNotification(title, options));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(new URL(event.notification.data.url, self.location.origin)));
});

// A window that shows another page is left alone, because a member may be writing there.
async function openPage(url) {
  if (url.origin !== self.location.origin) return;
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const shown = windows.find((client) => client.url === url.href);
  await (shown ? shown.focus() : self.clients.openWindow(url.href));
}
