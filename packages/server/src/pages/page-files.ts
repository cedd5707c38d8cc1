import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import type { Config } from "../config.ts";
import { escapeHtml } from "../escape-html.ts";
import { placeBelow } from "../http/base-path.ts";

export type Asset = { text: string; type: string; etag: string };

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

export type PageFiles = ReturnType<typeof createPageFiles>;

/** Serves the files in `static/`. Each file is read on the first request and cached. */
export function createPageFiles({ basePath }: Pick<Config, "basePath">) {
  const texts = new Map<string, Promise<string>>();
  const read = (name: string) => {
    const cached = texts.get(name) ?? readFile(new URL(`static/${name}`, import.meta.url), "utf8");
    texts.set(name, cached);
    return cached;
  };
  return {
    /** A page with its `{{names}}` filled in. */
    async page(name: string, values: Record<string, string>): Promise<string> {
      return placeBelow(fillPage(await read(name), values), basePath);
    },
    /** A file that a page loads, or undefined when it does not exist. */
    async asset(name: string): Promise<Asset | undefined> {
      const type = types[extname(name)];
      if (!type || !assets.has(name)) return undefined;
      const text = await read(name);
      return { text, type, etag: `"${createHash("sha256").update(text).digest("base64url")}"` };
    },
  };
}

/** A fixed list, so that requests can reach no other file. */
const assets = new Set([
  "icon.svg",
  "page.css",
  "conversation.js",
  "demo.css",
  "demo.js",
  "preview.css",
  "preview.js",
  "push-worker.js",
  "rating.css",
]);

/** Replaces `{{name}}` with values, escaped for text and quoted attributes. A name without a value becomes empty. */
function fillPage(page: string, values: Record<string, string>): string {
  return page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? ""));
}
