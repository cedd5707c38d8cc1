const reserved4 = "0.0.0.0 100.64.0.1 224.0.0.1 255.255.255.255".split(" ");
const metadata4 = "169.254.169.254 168.63.129.16 100.100.100.200".split(" ");
const local4 = "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 192.168.0.1".split(" ");
const only6 =
  "::1 0:0:0:0:0:0:0:1 :: fe80::1 fd00:ec2::254 fc00::1 ff02::1 fec0::1 2001:db8::1 2001::1 3fff::1 4000::1";

/** Every address that must not be reachable, in each spelling that a URL allows. */
export const hostileLiterals = [
  ...new Set([...local4, ...metadata4, ...reserved4].flatMap(spellings)),
  ...only6.split(" ").map((address) => `[${address}]`),
];

/** Responses of an attacker's name server. */
export const hostileAnswers: Record<string, string[]> = {
  "loopback.evil.test": ["127.0.0.1"],
  "loopback6.evil.test": ["::1"],
  "mapped.evil.test": ["::ffff:127.0.0.1"],
  "nat64.evil.test": ["64:ff9b::7f00:1"],
  "sixtofour.evil.test": ["2002:7f00:1::"],
  "any.evil.test": ["0.0.0.0"],
  "private.evil.test": ["10.0.0.1"],
  "metadata.evil.test": ["169.254.169.254"],
  "scoped.evil.test": ["fe80::1%lo"],
  "nonsense.evil.test": ["localhost"],
  "mixed.evil.test": ["8.8.8.8", "127.0.0.1"],
  "mixed-reversed.evil.test": ["127.0.0.1", "8.8.8.8"],
  "mixed-families.evil.test": ["2606:4700:4700::1111", "::1"],
  localhost: ["127.0.0.1"],
  "localhost.": ["127.0.0.1"],
};

/** More than 200 URLs that must not reach a listener on this machine's port. */
export function hostileUrls(port: number): string[] {
  const byName = Object.keys(hostileAnswers).map((name) => `http://${name}:${port}/`);
  const byLiteral = hostileLiterals.flatMap((literal) => [
    `http://${literal}:${port}/`,
    `https://${literal}:${port}/x?y=z`,
  ]);
  const byTrick = [
    `http://user:password@127.0.0.1:${port}/`,
    `http://hooks.example@127.0.0.1:${port}/`,
    `http://127.0.0.1:${port}#@hooks.example/`,
    `http://127.0.0.1:${port}\\@hooks.example/`,
    `http:\\\\127.0.0.1:${port}\\`,
    `http:127.0.0.1:${port}/`,
    `http:/127.0.0.1:${port}/`,
    `http:////127.0.0.1:${port}/`,
    ` \thttp://127.0.0.1:${port}/`,
    `ht\ntp://127.0.\n0.1:${port}/`,
    `HTTP://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
    `127.0.0.1:${port}`,
    `ws://127.0.0.1:${port}/`,
    `ftp://127.0.0.1:${port}/`,
    `gopher://127.0.0.1:${port}/_GET`,
    `unix:/var/run/docker.sock`,
    `file:///etc/passwd`,
    `data:text/plain,hello`,
    `blob:http://127.0.0.1:${port}/1`,
    `javascript:fetch("http://127.0.0.1:${port}")`,
  ];
  return [...byName, ...byLiteral, ...byTrick];
}

/** The ways to write one IPv4 address in a URL, some of them as an IPv6 address that leads to it. */
function spellings(address: string): string[] {
  const octets = address.split(".").map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = octets;
  const value = ((a * 256 + b) * 256 + c) * 256 + d;
  const high = (a * 256 + b).toString(16);
  const low = (c * 256 + d).toString(16);
  const octal = (number: number) => `0${number.toString(8)}`;
  const hex = (number: number) => `0x${number.toString(16)}`;
  const fullWidth = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  const circled = (text: string) => text.replace(/\d/g, (digit) => "⓪①②③④⑤⑥⑦⑧⑨"[Number(digit)] ?? digit);
  const percent = (text: string) => text.replace(/\d/g, (digit) => `%3${digit}`);
  return [
    address,
    `${address}.`,
    String(value),
    hex(value),
    hex(value).toUpperCase(),
    octal(value),
    octets.map(hex).join("."),
    octets.map(octal).join("."),
    `${hex(a)}.${octal(b)}.${c}.${d}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65_536 + c * 256 + d}`,
    octets.map((number) => `000${octal(number)}`).join("."),
    fullWidth(address),
    circled(address),
    percent(address),
    address.replaceAll(".", "。"),
    address.replaceAll(".", "%2e"),
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${high}:${low}]`,
    `[::${high}:${low}]`,
    `[::ffff:0:${high}:${low}]`,
    `[64:ff9b::${high}:${low}]`,
    `[64:ff9b:1::${high}:${low}]`,
    `[2002:${high}:${low}::1]`,
  ];
}
