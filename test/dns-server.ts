import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";

/** `name` defaults to the requested one; `ttl` is in seconds and defaults to 0. */
type DnsRecord = { type: keyof typeof recordTypes; data: string; name?: string; ttl?: number };
type DnsAnswer = DnsRecord[] | "NXDOMAIN" | "SERVFAIL" | "silence";
/** `nth` is 1 for the first query of this name and type. */
export type DnsQuestion = { name: string; type: "A" | "AAAA"; nth: number };

const recordTypes = { A: 1, CNAME: 5, AAAA: 28 };
const responseCodes = { SERVFAIL: 2, NXDOMAIN: 3 };

/**
 * A real name server on a port of 127.0.0.1. The test decides its responses, which are delayed if it returns a promise.
 * `resolve` queries it with a real resolver for both IPv4 and IPv6 addresses.
 */
export async function startDnsServer(answer: (question: DnsQuestion) => DnsAnswer | Promise<DnsAnswer>) {
  const asked: DnsQuestion[] = [];
  const socket = createSocket("udp4");
  let isOpen = true;

  socket.on("message", async (packet, { port, address }) => {
    const { name, type, end } = readQuestion(packet);
    const nth = asked.filter((other) => other.name === name && other.type === type).length + 1;
    const question = { name, type, nth };
    asked.push(question);
    const answered = await answer(question);
    if (answered !== "silence" && isOpen) socket.send(writeAnswer(packet.subarray(0, end), answered), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  // Longer than any test, so a test of a time limit cannot pass because this resolver gave up.
  const resolver = new Resolver({ timeout: 60_000, tries: 1 });
  const address = `127.0.0.1:${socket.address().port}`;
  resolver.setServers([address]);

  return {
    address,
    asked,
    async resolve(hostname: string): Promise<string[]> {
      const [ipv4, ipv6] = await Promise.all([
        resolver.resolve4(hostname).catch(noData),
        resolver.resolve6(hostname).catch(noData),
      ]);
      return [...ipv4, ...ipv6];
    },
    async close() {
      isOpen = false;
      resolver.cancel();
      socket.close();
      await once(socket, "close");
    },
  };
}

/** A name may have addresses of only one kind. */
function noData(error: { code?: string }): string[] {
  if (error.code === "ENODATA") return [];
  throw error;
}

function readQuestion(packet: Buffer) {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = packet.readUInt16BE(at + 1) === recordTypes.AAAA ? ("AAAA" as const) : ("A" as const);
  return { name: labels.join("."), type, end: at + 5 };
}

/** The header and the question are repeated, followed by the answers (RFC 1035, section 4). */
function writeAnswer(question: Buffer, answer: Exclude<DnsAnswer, "silence">): Buffer {
  const records = typeof answer === "string" ? [] : answer;
  const header = Buffer.from(question);
  // A response, recursion desired and available.
  header.writeUInt16BE(0x8180 | (typeof answer === "string" ? responseCodes[answer] : 0), 2);
  header.writeUInt16BE(records.length, 6);
  // No further sections, whatever the query contained.
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, ...records.map(writeRecord)]);
}

function writeRecord({ type, data, name, ttl = 0 }: DnsRecord): Buffer {
  const fixed = Buffer.alloc(10);
  const content = writers[type](data);
  fixed.writeUInt16BE(recordTypes[type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(content.length, 8);
  // 0xc00c points to the name in the question.
  return Buffer.concat([name === undefined ? Buffer.from([0xc0, 0x0c]) : writeName(name), fixed, content]);
}

const writers: Record<DnsRecord["type"], (data: string) => Buffer> = {
  A: (address) => Buffer.from(address.split(".").map(Number)),
  AAAA: (address) => Buffer.from(parseHextets(address).flatMap((hextet) => [hextet >> 8, hextet & 0xff])),
  CNAME: writeName,
};

function writeName(name: string): Buffer {
  const labels = name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label, "latin1")]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function parseHextets(address: string): number[] {
  // The URL parser turns a dotted end (`::ffff:127.0.0.1`) into hextets.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const numbers = (text: string) => (text === "" ? [] : text.split(":").map((hextet) => Number.parseInt(hextet, 16)));
  const [before, after] = [numbers(head), numbers(tail ?? "")];
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after];
}
