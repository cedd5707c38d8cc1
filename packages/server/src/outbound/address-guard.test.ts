import { describe, expect, it } from "vitest";
import { createAddressGuard } from "./address-guard.ts";
import { OutboundError } from "./outbound-error.ts";

const strict = createAddressGuard({ allowPrivate: false, allow: [] });

const publicAddresses = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.1",
  "168.63.129.15",
  "168.63.129.17",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "192.169.0.0",
  "223.255.255.255",
  "2606:4700:4700::1111",
  "2a00:1450:4001:80b::200e",
  "2000::1",
];
const localAddresses = [
  "10.0.0.1",
  "10.255.255.255",
  "127.0.0.1",
  "127.255.255.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "192.168.255.255",
  "::1",
  "fc00::1",
  "fdff::1",
];
const reservedAddresses = [
  "0.0.0.0",
  "0.1.2.3",
  "100.64.0.1",
  "100.127.255.255",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::7f00:1",
  "::ffff:8.8.8.8",
  "::ffff:7f00:1",
  "::ffff:0:7f00:1",
  "64:ff9b::808:808",
  "64:ff9b::7f00:1",
  "64:ff9b:1::7f00:1",
  "100::1",
  "1fff::1",
  "2001::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:808:808::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "fec0::1",
  "ff02::1",
];
const metadataAddresses = [
  "169.254.169.254",
  "169.254.0.1",
  "169.254.170.2",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fe80::1",
  "::ffff:169.254.169.254",
  "64:ff9b::a9fe:a9fe",
  "2002:a9fe:a9fe::1",
  "::a9fe:a9fe",
];

describe("the address guard", () => {
  it.each(publicAddresses)("allows %s", (address) => {
    expect(findRefusal(strict, address)).toBeNull();
  });

  it.each([...localAddresses, ...reservedAddresses, ...metadataAddresses])("refuses %s", (address) => {
    expect(findRefusal(strict, address)).toContain("may not be called");
  });

  it.each(["", "localhost", "fe80::1%eth0", "2606:4700::1%1", "1.2.3", "010.0.0.1"])(
    "does not accept %j as an address",
    (text) => {
      expect(findRefusal(strict, text)).toContain("no usable address");
    },
  );

  it("opens only loopback and private ranges on a server for one machine", () => {
    const guard = createAddressGuard({ allowPrivate: true, allow: [] });
    for (const address of localAddresses) expect(findRefusal(guard, address)).toBeNull();
    for (const address of [...reservedAddresses, ...metadataAddresses])
      expect(findRefusal(guard, address)).not.toBeNull();
  });

  it("explains a refusal and how the operator can allow the address", () => {
    expect(findRefusal(strict, "10.0.0.5", "crm.example")).toBe(
      "crm.example is at 10.0.0.5, which is a private address and may not be called." +
        " The operator can allow it with FOYER_OUTBOUND_ALLOW.",
    );
    expect(findRefusal(strict, "169.254.169.254")).toBe(
      "169.254.169.254 is a link-local or cloud metadata address and may not be called.",
    );
  });
});

describe("FOYER_OUTBOUND_ALLOW", () => {
  const guard = createAddressGuard({
    allowPrivate: false,
    allow: ["10.1.0.0/16", "fd12::/16", "192.168.1.7", "[::1]", "CRM.internal.", "bücher.internal", "2130706433"],
  });

  it.each(["10.1.255.255", "fd12::1", "192.168.1.7", "::1", "127.0.0.1"])("opens %s", (address) => {
    expect(findRefusal(guard, address)).toBeNull();
  });

  it.each(["10.2.0.0", "fd13::1", "192.168.1.8", "127.0.0.2", "::ffff:10.1.0.1"])("leaves %s closed", (address) => {
    expect(findRefusal(guard, address)).not.toBeNull();
  });

  it("opens a host at any address, but only under that name", () => {
    expect(findRefusal(guard, "10.9.9.9", "crm.internal")).toBeNull();
    expect(findRefusal(guard, "10.9.9.9", "crm.internal.")).toBeNull();
    expect(findRefusal(guard, "10.9.9.9", "xn--bcher-kva.internal")).toBeNull();
    expect(findRefusal(guard, "10.9.9.9", "a.crm.internal")).not.toBeNull();
    expect(findRefusal(guard, "10.9.9.9", "crm.internal.evil.test")).not.toBeNull();
  });

  it("never opens metadata addresses in any encoding", () => {
    const wide = createAddressGuard({
      allowPrivate: true,
      allow: ["0.0.0.0/0", "::/0", "169.254.169.254", "metadata.test"],
    });
    for (const address of metadataAddresses) expect(findRefusal(wide, address, "metadata.test")).not.toBeNull();
    expect(findRefusal(wide, "100.64.0.1")).toBeNull();
    expect(findRefusal(wide, "64:ff9b::7f00:1")).toBeNull();
  });

  it.each(["10.0.0.0/33", "10/8", "host:8080", "https://host", "a/b", "user@host", "a b", ""])(
    "refuses the entry %j",
    (entry) => {
      expect(() => createAddressGuard({ allowPrivate: false, allow: [entry] })).toThrow(/^FOYER_OUTBOUND_ALLOW: /);
    },
  );
});

describe("the URL check", () => {
  it("accepts http and https and leaves names to the DNS lookup", () => {
    expect(strict.checkUrl("https://hooks.example/path?q=1").hostname).toBe("hooks.example");
    expect(strict.checkUrl("http://8.8.8.8:8080/").port).toBe("8080");
    expect(strict.checkUrl("http://localhost/").hostname).toBe("localhost");
  });

  it.each([
    ["ftp://hooks.example/", "Only http and https URLs can be called, not ftp:"],
    ["javascript:alert(1)", "Only http and https URLs can be called, not javascript:"],
    ["https://user@hooks.example/", "The URL of hooks.example must not contain a user name or password."],
    ["https://:secret@hooks.example/", "The URL of hooks.example must not contain a user name or password."],
    ["hooks.example/path", '"hooks.example/path" is not a URL.'],
    ["", '"" is not a URL.'],
  ])("refuses %s: %s", (url, message) => {
    expect(() => strict.checkUrl(url)).toThrow(message);
    expect(() => strict.checkUrl(url)).toThrow(OutboundError);
  });
});

function findRefusal(guard: typeof strict, address: string, hostname = address): string | null {
  try {
    guard.checkAddress(address, hostname);
    return null;
  } catch (error) {
    if (error instanceof OutboundError && error.kind === "refused") return error.message;
    throw error;
  }
}
