import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { getFollowing } from "./get-following.ts";
import { createOutbound } from "./guarded-request.ts";

/** Fetches from a server with these responses, within 300 ms. */
async function fetchFrom(respond: RequestListener) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const outbound = createOutbound({ allowPrivate: true, allow: [] });
  const { port } = server.address() as AddressInfo;
  try {
    return await getFollowing(outbound, { url: `http://127.0.0.1:${port}/`, timeoutMs: 300, maxBytes: 1_000_000 });
  } finally {
    await outbound.close();
    server.close();
  }
}

it("fetching a page ends a response that arrives byte by byte when the time is over", async () => {
  const slow = fetchFrom((_, response) => {
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
  });
  await expect(slow).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining("within 0.3 s") });
});

it("fetching a page gives all redirects together the time of one page", async () => {
  let requests = 0;
  const slow = fetchFrom((_, response) => {
    requests++;
    setTimeout(() => response.writeHead(302, { location: `/${requests}` }).end(), 120);
  });
  await expect(slow).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining("within 0.3 s") });
  expect(requests).toBeLessThan(5);
});
