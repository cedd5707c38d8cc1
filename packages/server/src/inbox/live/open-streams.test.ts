import { expect, it } from "vitest";
import { createOpenStreams, type OpenStream, type StreamClient } from "./open-streams.ts";

const visitor: StreamClient = { organizationId: "org_greedy", isMember: false, ip: null };

/** Opens streams until one is rejected. @returns how many were opened, and the error */
function openAll(streams: ReturnType<typeof createOpenStreams>, client: StreamClient) {
  for (let count = 0; ; count++) {
    try {
      streams.checkRoom(client);
    } catch (error) {
      return { count, error };
    }
    streams.add({
      ...client,
      reader: { write: () => {}, end: () => {} },
      subject: `conversation:${client.organizationId}:${client.ip}:${count}`,
      conversationId: null,
      isAllowed: null,
      expiresAt: 0,
    } as unknown as OpenStream);
  }
}

it("an organization whose visitors open all the live streams that they can leaves some to another one", () => {
  const streams = createOpenStreams({ streams: 1_000, streamsPerIp: 0 });
  expect(openAll(streams, visitor)).toMatchObject({ count: 675, error: { code: "OVERLOADED" } });
  expect(() => streams.checkRoom({ ...visitor, organizationId: "org_honest" })).not.toThrow();
});

it("a tenth of the live streams is reserved for members, also while visitors of many organizations use the others", () => {
  const streams = createOpenStreams({ streams: 100, streamsPerIp: 0 });
  for (let index = 0; index < 100; index++) openAll(streams, { ...visitor, organizationId: `org_${index}` });
  expect(streams.count()).toBe(90);
  const member = { ...visitor, organizationId: "org_honest", isMember: true };
  expect(() => streams.checkRoom({ ...member, isMember: false })).toThrow("Too many live streams are open");
  expect(openAll(streams, member).count).toBeGreaterThan(0);
});

it("an address that opens all the live streams that it may leaves the others to other addresses", () => {
  const streams = createOpenStreams({ streams: 100, streamsPerIp: 5 });
  const greedy = openAll(streams, { ...visitor, ip: "192.0.2.1" });
  expect(greedy).toMatchObject({ count: 5, error: { code: "RATE_LIMITED", limit: 5 } });
  expect(() => streams.checkRoom({ ...visitor, ip: "192.0.2.2" })).not.toThrow();
});
