import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import { Marked } from "marked";
import { type Built, buildInto } from "./built-files.ts";
import { packSdk } from "./pack-sdk.ts";
import { packWidget } from "./pack-widget.ts";

const root = join(import.meta.dirname, "..");
const templates = join(root, "packages/server/src/pages/docs");

/** The hand-written pages of /docs, in the order of their menu. The SDK's page is the README of its package. */
const guides = [
  { name: "chat", title: "Chat protocol", source: "docs/guides/chat.md" },
  { name: "widget", title: "Widget", source: "docs/guides/widget.md" },
  { name: "handoff", title: "Handoff to people", source: "docs/guides/handoff.md" },
  { name: "knowledge", title: "Knowledge", source: "docs/guides/knowledge.md" },
  { name: "webhooks", title: "Webhooks", source: "docs/guides/webhooks.md" },
  { name: "events", title: "Events", source: "docs/guides/events.md" },
  { name: "sdk", title: "SDK", source: "packages/sdk/README.md" },
  { name: "errors", title: "Errors", source: "docs/guides/errors.md" },
  { name: "limits", title: "Limits", source: "docs/guides/limits.md" },
  { name: "scaling", title: "Scaling", source: "docs/guides/scaling.md" },
  { name: "versioning", title: "Versioning", source: "docs/guides/versioning.md" },
];

export const docs: Built = {
  name: "server",
  sources: [
    "server/src/pages/docs",
    "../docs/guides",
    "sdk/src",
    "sdk/README.md",
    "sdk/package.json",
    "widget/src",
    "widget/README.md",
    "widget/package.json",
    "contract/src",
  ],
};

/**
 * The files that the server serves under /docs and /packages: one HTML file for each guide, the API reference with its
 * script, and the tarballs of the SDK and the widget package. All are built here, so the server only sends files.
 */
export function buildDocs(): Promise<void> {
  return buildInto(docs, async (folder) => {
    mkdirSync(join(folder, "docs"));
    const page = readFileSync(join(templates, "page.html"), "utf8");
    for (const { name, title, source } of guides) {
      const content = renderMarkdown(readFileSync(join(root, source), "utf8"));
      writeFileSync(join(folder, "docs", `${name}.html`), fill(page, { title, menu: createMenu(name), content }));
    }
    const reference = readFileSync(join(templates, "reference.html"), "utf8");
    writeFileSync(join(folder, "docs/reference.html"), fill(reference, { menu: createMenu("reference") }));
    for (const name of ["docs.css", "reference.css", "reference.js"]) {
      cpSync(join(templates, name), join(folder, "docs", name));
    }
    writeFileSync(join(folder, "docs/scalar.js"), await readScalar());
    mkdirSync(join(folder, "packages"));
    for (const name of ["sdk", "widget"] as const) packInto(join(folder, "packages"), name);
    return {};
  });
}

/** Compiles a package and packs it without what only this repository needs, as `foyer-sdk.tgz`. */
function packInto(folder: string, name: "sdk" | "widget") {
  if (name === "sdk") packSdk();
  else packWidget();
  const source = join(root, "packages", name);
  const place = join(folder, name);
  mkdirSync(place);
  const manifest = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  writeFileSync(join(place, "package.json"), `${JSON.stringify(toPublishedManifest(manifest), null, 2)}\n`);
  for (const part of ["README.md", ...manifest.files])
    cpSync(join(source, part), join(place, part), { recursive: true });
  execFileSync("npm", ["pack", place, "--pack-destination", folder, "--silent"], { cwd: root });
  rmSync(place, { recursive: true });
  const tarball = readdirSync(folder).find((file) => file.startsWith(`foyer-${name}-`));
  if (!tarball) throw new Error(`npm pack created no tarball of packages/${name}.`);
  renameSync(join(folder, tarball), join(folder, `foyer-${name}.tgz`));
}

/**
 * Removes the development dependencies, and the exports of source files, which the tarball does not contain.
 */
function toPublishedManifest({
  private: _private,
  devDependencies: _devDependencies,
  exports,
  ...manifest
}: {
  private: boolean;
  devDependencies: object;
  exports: Record<string, Record<string, string>>;
}) {
  const published = Object.entries(exports).flatMap(([path, { "foyer-source": _source, ...conditions }]) =>
    Object.keys(conditions).length > 0 ? [[path, conditions]] : [],
  );
  return { ...manifest, exports: Object.fromEntries(published) };
}

function createMenu(current: string): string {
  const links = [{ name: "reference", title: "API reference" }, ...guides].map(({ name, title }) => {
    const address = name === "reference" ? "/docs" : `/docs/${name}`;
    return `<a href="${address}"${name === current ? ' aria-current="page"' : ""}>${title}</a>`;
  });
  return links.join("\n");
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}

/** The guides are part of this repository, so their HTML needs no sanitizing. */
function renderMarkdown(text: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        return `<h${depth} id="${slugOf(html)}">${html}</h${depth}>\n`;
      },
      code({ text, lang }) {
        // A scrollable area must be reachable by keyboard.
        const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
        return `<pre tabindex="0" aria-label="Code${lang ? `, ${lang}` : ""}"><code>${escaped}</code></pre>\n`;
      },
    },
  });
  const html = marked.parse(text, { async: false });
  return html
    .replaceAll("<table>", '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
}

const slugOf = (html: string) =>
  html
    .replace(/<[^>]+>|&\w+;/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** The package offers its script only through a Fastify route. */
async function readScalar(): Promise<string> {
  const app = Fastify();
  await app.register(scalar, { routePrefix: "/scalar", configuration: { url: "/openapi.json" } });
  const { body } = await app.inject("/scalar/js/scalar.js");
  await app.close();
  return body.replace(/\n\/\/# sourceMappingURL=.*$/, "");
}
