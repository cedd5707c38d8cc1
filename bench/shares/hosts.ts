import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { readMail } from "../../test/read-mail.ts";

/** A server of this process at its own port. It ends with the process. */
async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  server.keepAliveTimeout = 60_000;
  server.unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A host that accepts requests and never answers. */
export const startSilentHost = () => listen(() => {});

/** A host that accepts webhooks and resolves `next()` when one arrives. */
export async function startHook() {
  let arrived = Promise.withResolvers<void>();
  const url = await listen((request, response) => {
    void text(request).then(() => response.end("ok"));
    arrived.resolve();
  });
  return {
    url,
    /** Resolves when the next request arrives. Call it before the action. */
    next(): Promise<void> {
      arrived = Promise.withResolvers();
      return arrived.promise;
    },
  };
}

/** A site of a few pages, without robots.txt and sitemap. Each page is delayed by `delayMs`. */
export function startSite(pages: number, delayMs = 0): Promise<string> {
  const links = Array.from({ length: pages - 1 }, (_, index) => `<a href="/${index + 1}">Page ${index + 1}</a>`);
  return listen((request, response) => {
    if (!/^\/\d*$/.test(request.url ?? "")) return void response.writeHead(404).end();
    response.setHeader("content-type", "text/html");
    const end = () =>
      response.end(`<title>Page ${request.url}</title><p>Words of ${request.url}.</p>${links.join("")}`);
    setTimeout(end, delayMs);
  });
}

/**
 * A mail server that takes a second for emails to addresses that begin with "slow", and reports those to "quick" ones.
 * It opens the links that confirm the address of a new account.
 */
export async function startMailServer() {
  let arrived = Promise.withResolvers<void>();
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, { envelope }, callback) {
      const recipient = envelope.rcptTo[0]?.address ?? "";
      void text(stream).then((raw) => {
        const link = /http\S+\/verify-email\?token=\S+/.exec(readMail(raw).text)?.[0];
        if (link) void fetch(link, { method: "POST", headers: { "sec-fetch-site": "same-origin" } });
        if (recipient.startsWith("quick")) arrived.resolve();
        setTimeout(callback, recipient.startsWith("slow") ? 1_000 : 0);
        // The sender has disconnected.
      }, callback);
    },
  });
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  listening.unref();
  await once(listening, "listening");
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    next(): Promise<void> {
      arrived = Promise.withResolvers();
      return arrived.promise;
    },
  };
}
