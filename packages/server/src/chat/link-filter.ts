/** The longest destination that the filter waits for. Browsers and the widget refuse longer ones. */
const MAX_DESTINATION = 2_100;

/**
 * `[label](destination)`; the same without an end or around another one; `[label]: destination`; and addresses that
 * stand alone. Each part stops where the next one begins, so that the time is linear in the length of the text.
 */
const links =
  /\]\(((?:(?!\]\()[^)])*)\)|(\]\()|\]:\s{0,9}([^\s]+)|(?:(?:https?|ftp):[/\\]+|(?<![\w:/\\])[/\\]{2,}(?=[^\s/.]{1,63}\.[^\s/.])|(?<![a-z0-9])(?:www\.)+)([^\s/\\?#<>"'`()[\]]*)/gi;

/** The end of a text that may be the start of an address or of what comes before one. */
const openAddress =
  /\]$|\]:\s{0,9}$|(?:(?:https?|ftp):[/\\]*|(?<![\w:/\\])[/\\]+|(?<![a-z0-9])www\.)[^\s/\\?#<>"'`()[\]]{0,300}$|h(?:t(?:t(?:ps?)?)?)?$|f(?:tp?)?$|(?<![a-z0-9])w{1,3}$/i;
const MAX_ADDRESS_START = 320;

/**
 * Removes links from streamed text unless their addresses are known, even when they are split between deltas. A model
 * can be talked into writing any address by a passage that it reads, and a client that renders Markdown would load its
 * images.
 *
 * A Markdown link or image loses its destination and keeps its label. An address in the text loses its scheme, so that
 * no renderer turns it into a link. Code is treated like text: where code begins depends on the renderer.
 */
export function createLinkFilter(isKnown: (address: string) => boolean) {
  let held = "";
  let endsWithLabel = false;

  function clean(text: string): string {
    // The text after a label must not become its new destination.
    const start = endsWithLabel && /^[([:]/.test(text) ? " " : "";
    if (text !== "") endsWithLabel = false;
    const cleaned = text.replace(links, (whole: string, ...groups: string[]) => {
      const [inline, unfinished, defined, host = "", offset] = groups;
      if (unfinished !== undefined) return "] (";
      if (defined !== undefined) return !mayBeAddress(defined) || isKnown(parseDestination(defined)) ? whole : "] ";
      if (inline === undefined) return isKnown(withScheme(whole)) ? whole : decodeHost(host);
      if (isKnown(parseDestination(inline))) return whole;
      const next = text.charAt(Number(offset) + whole.length);
      if (next === "") endsWithLabel = true;
      return /[([:]/.test(next) ? "] " : "]";
    });
    return start + cleaned;
  }

  return {
    /** @returns the text that can be shown now */
    push(text: string): string {
      const all = held + text;
      const from = findSafeEnd(all);
      held = all.slice(from);
      return clean(all.slice(0, from));
    },
    /** Ends the text. @returns the text that was held back */
    flush(): string {
      const rest = held;
      held = "";
      return clean(rest);
    },
  };
}

/** The length of the text before a link that may continue in the next delta. */
function findSafeEnd(text: string): number {
  const inline = text.indexOf("](", text.lastIndexOf(")") + 1);
  const isOpen = inline >= 0 && text.length - inline < MAX_DESTINATION && !/\n[ \t\r]*\n/.test(text.slice(inline));
  const from = (pattern: RegExp, tail: number) => {
    const start = Math.max(0, text.length - tail);
    const index = text.slice(start).search(pattern);
    return index < 0 ? text.length : start + index;
  };
  const definition = from(/\]:\S*$/, MAX_DESTINATION);
  return Math.min(isOpen ? inline : text.length, definition, from(openAddress, MAX_ADDRESS_START));
}

function withScheme(address: string): string {
  return /^(?:https?|ftp):/i.test(address) ? address : `https://${address.replace(/^[/\\]+/, "")}`;
}

/**
 * Returns the host as text. The remainder of `https://https://` must not form an address together with the text that
 * follows.
 */
function decodeHost(host: string): string {
  return host.replace(/:+$/, "");
}

/** The destination without its title and angle brackets. */
function parseDestination(text: string): string {
  const [first = ""] = text.trim().split(/\s/, 1);
  return first.replace(/^<|>$/g, "");
}

/** Entities and escapes can also encode a colon. */
function mayBeAddress(text: string): boolean {
  return /[:&\\%]|^<?\/|www\./i.test(text);
}

/**
 * The length of the longest name that DNS allows. Every parent domain of a name is looked up, which takes quadratic
 * time.
 */
const MAX_HOSTNAME = 253;

/** Addresses in a text, such as the instructions of an agent or the result of a tool. */
const addresses = /https?:\/\/[^\s<>"'`()[\]\\]+/gi;

/**
 * Decides which links a reply may contain: those to hosts (and their subdomains) that the agent's owner has named, in
 * the instructions, as an allowed origin, through a tool's result or as the address of a document.
 * @param trusted texts and addresses of the owner. Read when the first link appears, because most replies have none.
 */
export function createKnownLinks(trusted: () => Iterable<string>): (address: string) => boolean {
  /** Each text is searched only once, because tool results can be long and a reply can have hundreds of links. */
  const hostsOf = new Map<string, ReadonlySet<string>>();

  function isHostIn(text: string, names: readonly string[]): boolean {
    const hosts = hostsOf.get(text) ?? findHosts(text);
    hostsOf.set(text, hosts);
    return names.some((name) => hosts.has(name));
  }

  return (address) => {
    const [, contact] = /^(?:mailto|tel):(.{3,})$/i.exec(address) ?? [];
    if (contact !== undefined) return [...trusted()].some((text) => text.includes(contact));
    const url = parsePlain(address);
    if (url === null || url.hostname.length > MAX_HOSTNAME) return false;
    const labels = url.hostname.split(".");
    const names = labels.map((_, index) => labels.slice(index).join("."));
    for (const text of trusted()) if (isHostIn(text, names)) return true;
    return false;
  };
}

function findHosts(text: string): Set<string> {
  const hosts = new Set<string>();
  for (const [known] of text.matchAll(addresses)) {
    // At the end of a sentence, the dot is not part of the address.
    const host = URL.parse(known.replace(/[.,;:!?]+$/, ""))?.hostname;
    if (host) hosts.add(host);
  }
  return hosts;
}

/** Returns null for anything but a web address whose host every program reads in the same way. */
function parsePlain(address: string): URL | null {
  const url = /^https?:\/\/[\p{L}\p{N}.-]+(?::\d{1,5})?(?:[/?#]|$)/iu.test(address) ? URL.parse(address) : null;
  return url && !/[\\\0-\x20]/.test(address) ? url : null;
}
