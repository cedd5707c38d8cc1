import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";

export type Asset = { text: string; type: string; etag: string };

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export type PageFiles = ReturnType<typeof createPageFiles>;

/** The files in `static/`, each read when it is first asked for and kept. */
export function createPageFiles() {
  const texts = new Map<string, Promise<string>>();
  const read = (name: string) => {
    const known = texts.get(name) ?? readFile(new URL(`static/${name}`, import.meta.url), "utf8");
    texts.set(name, known);
    return known;
  };
  return {
    /** A page with its `{{names}}` filled in. */
    async page(name: string, values: Record<string, string>): Promise<string> {
      return fillPage(await read(name), values);
    },
    /** What a page loads, or undefined when there is no such file. */
    async asset(name: string): Promise<Asset | undefined> {
      const type = types[extname(name)];
      if (!type || !assets.has(name)) return undefined;
      const text = await read(name);
      return { text, type, etag: `"${createHash("sha256").update(text).digest("base64url")}"` };
    },
  };
}

/** Named one by one, so that no address reaches another file. */
const assets = new Set(["icon.svg", "page.css", "demo.css", "demo.js", "preview.css", "preview.js"]);

/** Puts values in the place of `{{name}}`, escaped for text and for quoted attributes alike; a name without value is empty. */
function fillPage(page: string, values: Record<string, string>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ""));
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
