import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/**
 * Classes of addresses. `metadata` is always rejected. `local` is allowed on a server that is reachable only from its
 * own machine.
 */
type AddressKind = "public" | "local" | "reserved" | "metadata";

/**
 * Parses an address from the system resolver or a parsed URL.
 * @returns null for anything else, including scoped addresses such as `fe80::1%eth0`
 */
export function parseAddress(text: string): Address | null {
  return isIP(text) !== 0 && !text.includes("%") ? ipaddr.parse(text) : null;
}

/** Classifies an address. `description` is used in the error message ("10.0.0.5 is a private address"). */
export function describeAddress(address: Address): { kind: AddressKind; description: string } {
  if (isMetadata(address)) return { kind: "metadata", description: "a link-local or cloud metadata address" };
  const range = address.range();
  if (range === "loopback") return { kind: "local", description: "a loopback address" };
  if (range === "private" || range === "uniqueLocal") return { kind: "local", description: "a private address" };
  return isPublic(address)
    ? { kind: "public", description: "a public address" }
    : { kind: "reserved", description: "a reserved address" };
}

export function matches(address: Address, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/**
 * Checks whether an address is public. ipaddr.js returns "unicast" for every range that it does not know, including
 * unallocated IPv6 addresses (`::7f00:1`).
 */
function isPublic(address: Address): boolean {
  return address.range() === "unicast" && (address.kind() === "ipv4" || matches(address, globalUnicast));
}

/** RFC 4291, section 2.4: the only part of IPv6 from which public addresses are allocated. */
const globalUnicast: Range = ipaddr.parseCIDR("2000::/3");

/**
 * Link-local addresses, and the other addresses at which clouds serve credentials: Azure, Alibaba, Oracle, AWS, Google.
 */
const metadataRanges: Range[] = [
  "169.254.0.0/16",
  "fe80::/10",
  "168.63.129.16/32",
  "100.100.100.200/32",
  "192.0.0.192/32",
  "fd00:ec2::/32",
  "fd20:ce::/32",
].map((range) => ipaddr.parseCIDR(range));

function isMetadata(address: Address): boolean {
  return [address, ...listEmbeddedAddresses(address)].some((candidate) =>
    metadataRanges.some((range) => matches(candidate, range)),
  );
}

/**
 * Returns the IPv4 addresses to which an IPv6 transition address can lead. They are in its last bytes (mapped,
 * compatible, NAT64), in the same bytes inverted (Teredo), or after the prefix (6to4). These ranges are refused by
 * default. This check matters if the operator has allowed one of them, such as a NAT64 network.
 */
function listEmbeddedAddresses(address: Address): ipaddr.IPv4[] {
  if (address.kind() === "ipv4" || isPublic(address)) return [];
  const bytes = address.toByteArray();
  const lastBytes = bytes.slice(12);
  return [lastBytes, lastBytes.map((byte) => byte ^ 0xff), bytes.slice(2, 6)].map((octets) => new ipaddr.IPv4(octets));
}
