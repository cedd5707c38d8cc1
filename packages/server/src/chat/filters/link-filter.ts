/** The longest destination, address or tag that the filter waits for. Browsers and the widget refuse longer ones. */
const MAX_LENGTH = 2_100;
/** The longest text of a link. The brackets of a longer one stay. */
const MAX_LABEL = 1_000;
/** The longest part of an email address before the @. */
const MAX_LOCAL_PART = 64;

/** Whatever can begin a link in a renderer of Markdown, and the end of a paragraph, which ends every link. */
const special = /!?\[|\]|<(?=[a-z])|(?:https?|ftp):[/\\]|www\.|@|(?<![\w:/\\])[/\\]{2,}(?=[^\s/\\])|\n[ \t\r]*\n/gi;
/** The end of a text that may be the start of one of these. */
const openSpecial = /(?:!|<|h(?:t(?:t(?:ps?:?)?)?)?|f(?:tp?:?)?|w{1,3}|[/\\]+|\n[ \t\r]*)$/i;

/** An address that every program reads in the same way: nothing can follow the host but a port and a path. */
const plainHost = "[\\p{L}\\p{N}-]+(?:\\.[\\p{L}\\p{N}-]+)*(?::\\d{1,5})?";
const plainAddress = new RegExp(`^(?:https?://|www\\.)${plainHost}([/?#][^\\s<>"\`[\\]]*)?`, "iu");
const plainDestination = new RegExp(
  `^https?://${plainHost}(?:[/?#](?:[^\\s<>"'\`()[\\]\\\\]|\\([^\\s<>"'\`()[\\]\\\\]*\\))*)?$`,
  "iu",
);
/** The characters that can be part of an address in at least one program. */
const addressRun = /^[^\s<>"`[\]]*/;
/** An address up to the next one in the same word, which some programs show as a link of its own. */
const firstAddress =
  /^((?:(?:https?|ftp):[/\\]+|www\.).*?)(?=(?:https?|ftp):|(?<!:[/\\]{1,9})www\.|[^\s@/?#=&]*@[\w-]+\.[\w-])/i;
/** A title of a link that contains no address. */
const plainTitle = /^"(?:(?!www)[^"'<>&`:@/\\()[\]]){0,200}"$/i;

/**
 * Removes links from streamed text unless their addresses are known, even when they are split between deltas. A model
 * can be talked into writing any address by a passage that it reads, and a client that renders Markdown would load its
 * images.
 *
 * Renderers disagree about where an address ends. Therefore a known address is written only in a form that all of them
 * read in the same way, and separated from the text beside it. A removed link or image leaves its label, an address
 * loses its scheme, and the @ of an email address becomes a word. Where something was removed, the text around it is not
 * joined, because both parts could form a new address. Code is treated like text: where code begins depends on the
 * renderer.
 *
 * @param onRemoved receives each address that was removed
 */
export function createLinkFilter(
  isKnown: (address: string) => boolean,
  onRemoved: (address: string) => void = () => {},
) {
  const writer = createLabelWriter();
  const rules: Rules = { isKnown, onRemoved, writer };
  /** the text that has not been read, because its meaning depends on what follows */
  let unread = "";

  /** @returns the number of characters that were read, or 0 if more text is needed */
  function readSpecial(at: number, found: string, isEnd: boolean): number {
    if (found.endsWith("[")) {
      writer.openLabel(found);
      return found.length;
    }
    if (found.startsWith("\n")) {
      writer.closeLabels();
      writer.write(found);
      return found.length;
    }
    const ahead = unread.slice(at, at + MAX_LENGTH);
    const text: Ahead = { ahead, isComplete: isEnd || ahead.length === MAX_LENGTH };
    if (found === "]") return readLabelEnd(text, rules);
    if (found === "<") return readTag(text, rules);
    if (found === "@") return readEmail(text, rules);
    return readAddress(text, rules);
  }

  function read(isEnd: boolean): string {
    let at = 0;
    for (;;) {
      special.lastIndex = at;
      const found = special.exec(unread);
      const end = found?.index ?? (isEnd ? unread.length : findOpenSpecial(unread));
      if (end > at) writer.write(unread.slice(at, end));
      at = Math.max(at, end);
      const used = found ? readSpecial(at, found[0], isEnd) : 0;
      if (used === 0) break;
      at += used;
    }
    unread = unread.slice(at);
    if (isEnd) writer.closeLabels();
    return writer.take();
  }

  return {
    /** @returns the text that can be shown now */
    push(text: string): string {
      unread += text;
      return read(false);
    },
    /** Ends the text. @returns the text that was held back */
    flush: (): string => read(true),
  };
}

type Rules = {
  isKnown: (address: string) => boolean;
  onRemoved: (address: string) => void;
  writer: ReturnType<typeof createLabelWriter>;
};

/**
 * The text from something special on. When it is complete, or so long that it is no link, it decides what was found. The
 * functions below return the number of characters that they read, or 0 if they need more text.
 */
type Ahead = { ahead: string; isComplete: boolean };

/** Collects the text that is shown. It holds a label back while its link may still be removed. */
function createLabelWriter() {
  let shown = "";
  let pending = "";
  /** the open brackets in `pending` */
  let brackets: Array<{ start: number; end: number; isSeparate: boolean }> = [];
  /** the end of the text so far */
  let last = "";

  function write(text: string) {
    last = (last + text).slice(-MAX_LOCAL_PART - 1);
    if (brackets.length === 0) {
      shown += text;
      return;
    }
    pending += text;
    if (pending.length > MAX_LABEL) closeLabels();
  }

  function closeLabels() {
    shown += pending;
    pending = "";
    brackets = [];
  }

  /** True at the start, after white space, and after a character that cannot be part of an address. */
  const isSeparate = () => last === "" || /[\s("“„«*|>]$/.test(last);

  return {
    write,
    closeLabels,
    last: () => last,
    /** Writes a space if what follows could form an address with the text so far. */
    separate() {
      if (!isSeparate()) write(" ");
    },
    openLabel(bracket: string) {
      const start = pending.length;
      brackets.push({ start, end: start + bracket.length, isSeparate: isSeparate() });
      write(bracket);
    },
    /** Ends the innermost label. The text is shown when no other is open. */
    endLabel() {
      brackets.pop();
      if (brackets.length === 0) closeLabels();
    },
    /** Removes the opening bracket of the innermost label. */
    removeBracket() {
      const bracket = brackets.pop();
      if (!bracket) return;
      const label = pending.slice(bracket.end);
      const gap = bracket.isSeparate && label !== "" ? "" : " ";
      pending = pending.slice(0, bracket.start) + gap + label;
      last = label === "" ? " " : last;
      if (brackets.length === 0) closeLabels();
    },
    take(): string {
      const text = shown;
      shown = "";
      return text;
    },
  };
}

function readLabelEnd(text: Ahead, rules: Rules): number {
  const { ahead, isComplete } = text;
  if (ahead.length === 1 && !isComplete) return 0;
  if (ahead[1] === "(") return readDestination(text, rules);
  if (ahead[1] === ":") return readDefinition(text, rules);
  rules.writer.write("]");
  rules.writer.endLabel();
  return 1;
}

function readDestination({ ahead, isComplete }: Ahead, { isKnown, onRemoved, writer }: Rules): number {
  const end = findClosing(ahead);
  if (end === null && !isComplete) return 0;
  const inner = ahead.slice(2, Math.max(end ?? 0, 0)).trim();
  if (end === null || end < 0 || !mayBeAddress(inner)) {
    writer.write("] ");
    writer.endLabel();
    return 1;
  }
  const [address = ""] = inner.split(/\s/, 1);
  const destination = address.replace(/^<(.*)>$/, "$1");
  const title = inner.slice(address.length).trim();
  if (isPlainDestination(destination) && isKnown(destination)) {
    writer.write(`](${withPath(destination)}${plainTitle.test(title) ? ` ${title}` : ""})`);
    writer.endLabel();
    return end + 1;
  }
  const next = ahead.slice(end + 1, end + 3);
  if (next.length < 2 && !isComplete) return 0;
  onRemoved(destination);
  writer.removeBracket();
  if (!/^(?:$|[\s)*_"”»|,;!?]|[.:…](?:\s|$))/.test(next)) writer.separate();
  return end + 1;
}

/** The destination of a definition is read like an address in the text. */
function readDefinition({ ahead, isComplete }: Ahead, { isKnown, writer }: Rules): number {
  const [whole = "", space = "", destination = ""] = /^\]:([ \t]{0,99}(?:\r?\n)?[ \t]{0,99})(\S*)/.exec(ahead) ?? [];
  if (whole.length === ahead.length && !isComplete) return 0;
  const isSafe = !mayBeAddress(destination) || (isPlainDestination(destination) && isKnown(destination));
  writer.write(isSafe ? `]:${space}` : "] ");
  writer.endLabel();
  return 2 + space.length;
}

/** Autolinks, and tags of HTML, of which those are kept that contain no address or only known ones. */
function readTag({ ahead, isComplete }: Ahead, { isKnown, writer }: Rules): number {
  const end = ahead.search(/>|\n[ \t\r]*\n/);
  if (end < 0 && !isComplete) return 0;
  const tag = end < 0 ? ahead : ahead.slice(0, end);
  const address = tag.slice(1);
  if (ahead[end] === ">" && isPlainDestination(address) && isKnown(address)) {
    writer.write(`<${withPath(address)}>`);
    return tag.length + 1;
  }
  const isTag = /^<[a-z][a-z\d-]*(?:[\s/]|$)/i.test(tag);
  const isHarmless = isTag ? hasKnownAttributes(tag, isKnown) : !/[:@]/.test(tag);
  writer.write(isHarmless ? "<" : "< ");
  return 1;
}

function hasKnownAttributes(tag: string, isKnown: Rules["isKnown"]): boolean {
  if (!tag.includes("=")) return true;
  if (/[&\\]/.test(tag)) return false;
  const attributes = tag.matchAll(/=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]*))/g);
  const values = [...attributes].map(([, ...groups]) => groups.join(""));
  return values.every((value) => !/[:/]/.test(value) || (isPlainDestination(value) && isKnown(value)));
}

function readEmail({ ahead, isComplete }: Ahead, { isKnown, onRemoved, writer }: Rules): number {
  const [run = ""] = addressRun.exec(ahead) ?? [];
  if (run.length === ahead.length && !isComplete) return 0;
  const [domain = "@"] = /^@[\w.-]*/.exec(run) ?? [];
  const [local = ""] = /[\w.+-]{1,64}$/.exec(writer.last()) ?? [];
  if (!/[^\s<>()[\]]$/.test(writer.last()) || !/[\w-]\.[\w-]/.test(domain)) {
    writer.write("@");
    return 1;
  }
  const address = `mailto:${local}${domain.replace(/\.+$/, "")}`;
  const isPlain = local !== "" && /^@[\w-]+(?:\.[\w-]+)+\.?$/.test(domain);
  if (!isPlain || !isKnown(address)) {
    onRemoved(address);
    writer.write(" (at) ");
    return 1;
  }
  writer.write(domain + (endsWord(ahead, domain.length, run.length) ? "" : " "));
  return domain.length;
}

function readAddress({ ahead, isComplete }: Ahead, { isKnown, onRemoved, writer }: Rules): number {
  const [run = ""] = addressRun.exec(ahead) ?? [];
  if (run.length === ahead.length && !isComplete) return 0;
  const [, own = run] = firstAddress.exec(run) ?? [];
  const [address, path] = plainAddress.exec(own) ?? [];
  // Some programs find addresses only at the start of a word.
  const startsWord = !/\w$/.test(writer.last());
  if (address !== undefined && startsWord && isKnown(withScheme(address))) {
    const isWhole = path !== undefined && address === run;
    writer.write(address + (isWhole || endsWord(ahead, address.length, run.length) ? "" : " "));
    return address.length;
  }
  const [prefix = ""] = /^(?:(?:https?|ftp):[/\\]*|www\.|[/\\]+)+/i.exec(run) ?? [];
  if (/^[/\\]+$/.test(prefix) && !/^[^\s/.]{1,63}\.[^\s/.]/.test(run.slice(prefix.length))) {
    writer.write(prefix);
    return prefix.length;
  }
  onRemoved(withScheme(run));
  writer.separate();
  return prefix.length;
}

/** The length of the text before the start of something that may become special. */
function findOpenSpecial(text: string): number {
  const end = text.slice(-MAX_LOCAL_PART);
  return text.length - (openSpecial.exec(end)?.[0].length ?? 0);
}

/**
 * Whether nothing but punctuation that no program takes for a part of an address stands between the address and the next
 * white space.
 */
function endsWord(ahead: string, addressLength: number, runLength: number): boolean {
  const isEnd = runLength === ahead.length ? runLength < MAX_LENGTH : /\s/.test(ahead.charAt(runLength));
  return isEnd && /^(?:[?!.,:;*_~'"]*|\)[?!.,:;]*)$/.test(ahead.slice(addressLength, runLength));
}

/** Without a path, a program that does not read Markdown would take what follows the bracket for a part of the host. */
function withPath(address: string): string {
  return /^https?:\/\/[^/?#]*$/i.test(address) ? `${address}/` : address;
}

function isPlainDestination(text: string): boolean {
  return plainDestination.test(text) || /^(?:mailto:[\w.+-]+@[\w-]+(?:\.[\w-]+)+|tel:[\d+().-]+)$/i.test(text);
}

/** The position of the bracket that closes the destination; -1 if the paragraph ends first, null if neither is known. */
function findClosing(ahead: string): number | null {
  let depth = 0;
  for (const { 0: found, index } of ahead.slice(2).matchAll(/[()]|\n[ \t\r]*\n/g)) {
    if (found.startsWith("\n")) return -1;
    if (found === ")" && depth === 0) return index + 2;
    depth += found === "(" ? 1 : -1;
  }
  return null;
}

function withScheme(address: string): string {
  return /^(?:https?|ftp):/i.test(address) ? address : `https://${address.replace(/^[/\\]+/, "")}`;
}

/** Entities and escapes can also encode a colon. */
function mayBeAddress(text: string): boolean {
  return /[:&\\%<@]|^\/|www\.|\//i.test(text);
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
    if (contact !== undefined && [...trusted()].some((text) => text.includes(contact))) return true;
    const domain = contact?.split("@")[1];
    const url = parsePlain(contact === undefined ? address : `https://${domain}`);
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
