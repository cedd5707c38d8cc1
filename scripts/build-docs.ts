import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as contract from "@foyer/contract";
import { documentFormatList } from "@foyer/contract/rules/document-formats";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";
import highlighter from "highlight.js";
import { Marked, type Token, type Tokens } from "marked";
import { tags } from "../packages/server/src/http/openapi-parts.ts";
import { type Built, buildInto } from "./built-files.ts";
import { buildCli } from "./pack-cli.ts";
import { packSdk } from "./pack-sdk.ts";
import { packWidget } from "./pack-widget.ts";

/** The dashboard's own dependencies, of which the documentation has the font. */
const dashboardModules = createRequire(new URL("../packages/dashboard/package.json", import.meta.url));
const root = join(import.meta.dirname, "..");
const templates = join(root, "packages/server/src/pages/docs");

type Guide = { name: string; title: string; source: string };

/** The hand-written pages of /docs, in the order of their menu. The SDK's page is the README of its package. */
const groups: ReadonlyArray<{ title: string; guides: Guide[] }> = [
  {
    title: "Start",
    guides: [
      { name: "start", title: "Getting started", source: "docs/guides/start.md" },
      { name: "conventions", title: "Conventions", source: "docs/guides/conventions.md" },
    ],
  },
  {
    title: "Guides",
    guides: [
      { name: "chat", title: "Chat protocol", source: "docs/guides/chat.md" },
      { name: "models", title: "Models", source: "docs/guides/models.md" },
      { name: "sdk", title: "SDK", source: "packages/sdk/README.md" },
      { name: "attachments", title: "Pictures and files", source: "docs/guides/attachments.md" },
      { name: "widget", title: "Widget", source: "docs/guides/widget.md" },
      { name: "tools", title: "Tools", source: "docs/guides/tools.md" },
      { name: "forms", title: "Forms", source: "docs/guides/forms.md" },
      { name: "triggers", title: "Triggers", source: "docs/guides/triggers.md" },
      { name: "knowledge", title: "Knowledge", source: "docs/guides/knowledge.md" },
      { name: "handoff", title: "Handoff to people", source: "docs/guides/handoff.md" },
      { name: "team", title: "Your team", source: "docs/guides/team.md" },
      { name: "providers", title: "Model providers", source: "docs/guides/providers.md" },
      { name: "publishing", title: "Publishing", source: "docs/guides/publishing.md" },
      { name: "files", title: "Agents as files", source: "docs/guides/files.md" },
      { name: "tests", title: "Testing an agent", source: "docs/guides/tests.md" },
      { name: "replays", title: "Replaying conversations", source: "docs/guides/replays.md" },
      { name: "webhooks", title: "Webhooks", source: "docs/guides/webhooks.md" },
      { name: "events", title: "Events", source: "docs/guides/events.md" },
    ],
  },
  {
    title: "Reference",
    guides: [
      { name: "deployment", title: "Deployment", source: "docs/guides/deployment.md" },
      { name: "errors", title: "Errors", source: "docs/guides/errors.md" },
      { name: "limits", title: "Limits", source: "docs/guides/limits.md" },
      { name: "scaling", title: "Scaling", source: "docs/guides/scaling.md" },
      { name: "versioning", title: "Versioning", source: "docs/guides/versioning.md" },
    ],
  },
];
/** A guide contains this where it lists the formats of files that documents can be made from. */
const FORMATS = "{{document formats}}";
const REFERENCE = { name: "api", title: "API reference" };
const FONT = "@fontsource-variable/inter/files/inter-latin-wght-normal.woff2";
const FIRST_PAGE = "start";

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
    "server/src/http/openapi-parts.ts",
    "server/src/agent-folders",
    "server/src/outbound/management-client.ts",
  ],
};

/**
 * The files that the server serves under /docs and /packages: one HTML file for each guide, the API reference with its
 * script, and the tarballs of the SDK, the widget package and the command line. All are built here, so the server only sends files.
 */
export function buildDocs(): Promise<void> {
  return buildInto(docs, async (folder) => {
    mkdirSync(join(folder, "docs"));
    const page = readFileSync(join(templates, "page.html"), "utf8");
    const guides = groups.flatMap((group) => group.guides);
    const index: SearchEntry[] = [];
    for (const { name, title, source } of guides) {
      const text = readFileSync(join(root, source), "utf8").replace(FORMATS, documentFormatList);
      index.push(...listSections(text, { title, address: addressOf(name) }));
      const values = { title, kind: "guide", head: "", menu: createMenu(name) };
      const main = `<main id="content" class="guide-content">\n${renderMarkdown(text)}\n</main>`;
      const content = `${main}\n${createContents(text)}`;
      writeFileSync(join(folder, "docs", `${name}.html`), fill(page, { ...values, content }));
    }
    // The reference brings its own main element, of which a page has only one. In a section, its header is no banner.
    const content = `<section id="content" class="reference-content">\n${referenceContent}\n</section>`;
    const reference = { ...REFERENCE, kind: "reference", head: referenceHead };
    const parts = { menu: createMenu(REFERENCE.name), content };
    writeFileSync(join(folder, "docs/api.html"), fill(page, { ...reference, ...parts }));
    for (const name of ["docs.css", "docs.js", "reference.css", "reference.js"]) {
      cpSync(join(templates, name), join(folder, "docs", name));
    }
    cpSync(dashboardModules.resolve(FONT), join(folder, "docs/inter-latin.woff2"));
    writeFileSync(join(folder, "docs/search.json"), JSON.stringify([...index, ...listOperations()]));
    writeFileSync(join(folder, "docs/scalar.js"), await readScalar());
    mkdirSync(join(folder, "packages"));
    for (const name of ["sdk", "widget"] as const) packInto(join(folder, "packages"), name);
    await buildCli(join(folder, "packages/cli"));
    pack(join(folder, "packages"), "cli");
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
  pack(folder, name);
}

/** Packs a subfolder as `foyer-sdk.tgz`, and removes it. */
function pack(folder: string, name: string) {
  const place = join(folder, name);
  execFileSync("npm", ["pack", place, "--pack-destination", folder, "--silent"], { cwd: root });
  rmSync(place, { recursive: true });
  const tarball = readdirSync(folder).find((file) => file.startsWith(`foyer-${name}-`));
  if (!tarball) throw new Error(`npm pack created no tarball of ${name}.`);
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

const addressOf = (name: string) => (name === FIRST_PAGE ? "/docs" : `/docs/${name}`);

function createMenu(current: string): string {
  const link = ({ name, title }: { name: string; title: string }) =>
    `<a href="${addressOf(name)}"${name === current ? ' aria-current="page"' : ""}>${title}</a>`;
  return groups
    .map(({ title, guides }) => {
      const links = guides.map(link);
      if (title === "Reference") links.unshift(link(REFERENCE), ...(current === REFERENCE.name ? createTagMenu() : []));
      return `<h2>${title}</h2>\n${links.join("\n")}`;
    })
    .join("\n");
}

/** The list of a guide's sections, which is beside it on wide screens. A guide with a single section has none. */
function createContents(text: string): string {
  const headings = new Marked().lexer(text).flatMap((token) => {
    if (token.type !== "heading" || token.depth !== 2) return [];
    const title = toPlainText(token.text);
    return [`<li><a href="#${slugOf(title)}">${escapeHtml(title)}</a></li>`];
  });
  if (headings.length < 2) return "";
  return `<aside class="on-this-page" aria-labelledby="contents"><h2 id="contents">On this page</h2>\n<ul>${headings.join("\n")}</ul></aside>`;
}

/** The operations of the API by their tags, for the menu of the reference. */
function createTagMenu(): string[] {
  const operations = listOperations();
  return tags.map(({ name }) => {
    const links = operations
      .filter(({ tag }) => tag === name)
      .map(({ title, address }) => `<a href="${address}">${escapeHtml(toShortTitle(title))}</a>`);
    return `<details><summary>${name}</summary>${links.join("")}</details>`;
  });
}

/** The first sentence of an operation's summary. */
const toShortTitle = (summary: string) => toPlainText(summary.replace(/\. .*$/, ""));

/** A section of a guide or an operation of the API, as the search finds it. */
type SearchEntry = { title: string; page: string; text: string; address: string };

/** The sections of a guide, each with its text without Markdown. */
function listSections(text: string, { title, address }: { title: string; address: string }): SearchEntry[] {
  const sections: SearchEntry[] = [];
  for (const token of new Marked().lexer(text)) {
    if (token.type === "heading") {
      const isTitle = token.depth === 1;
      const heading = toPlainText(token.text);
      const place = isTitle ? address : `${address}#${slugOf(heading)}`;
      sections.push({ title: isTitle ? title : heading, page: title, text: "", address: place });
    } else {
      const section = sections.at(-1);
      if (section) section.text = `${section.text} ${toPlainText(token.raw)}`.trim();
    }
  }
  return sections;
}

const toPlainText = (markdown: string) =>
  markdown
    .replaceAll(/^```.*$/gm, " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*|]|^[>#-]+|-{3,}/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** Every operation of the API, in the order of the reference. */
function listOperations(): Array<SearchEntry & { tag: string }> {
  const operations = Object.values(contract).flatMap((value) => {
    if (typeof value !== "object" || !("method" in value) || !("url" in value)) return [];
    const { method, url, schema } = value;
    const [tag = ""] = schema.tags;
    const path = url.replaceAll(/:(\w+)/g, "{$1}");
    const description = "description" in schema ? schema.description : "";
    return [
      {
        tag,
        title: schema.summary,
        page: `API · ${method} ${url}`,
        text: `${description} ${listNames(schema).join(", ")}`.trim(),
        address: `/docs/api#tag/${slugOf(tag)}/${method}${path}`,
      },
    ];
  });
  const order = new Map(tags.map(({ name }, at) => [name, at]));
  return operations.sort((a, b) => (order.get(a.tag) ?? 0) - (order.get(b.tag) ?? 0));
}

/** The names of an operation's query parameters and body fields. */
function listNames(schema: object): string[] {
  const parts = [Reflect.get(schema, "querystring"), Reflect.get(schema, "body")];
  return parts.flatMap((part) => Object.keys(part?.properties ?? {}));
}

const referenceHead = '<link rel="stylesheet" href="/docs/assets/reference.css">';
const referenceContent = `<div id="reference"></div>
<noscript><p>The API reference needs JavaScript. The OpenAPI document is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<script src="/docs/assets/scalar.js"></script>
<script src="/docs/assets/reference.js"></script>`;

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
}

/** The guides are part of this repository, so their HTML needs no sanitizing. */
function renderMarkdown(text: string): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(toPlainText(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: renderCode,
    },
  });
  return marked
    .parser(groupTabs(marked.lexer(text)))
    .replaceAll("<table>", '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
}

function renderCode({ text, lang = "" }: Tokens.Code): string {
  const [language = ""] = lang.split(" ");
  const isKnown = highlighter.getLanguage(language) !== undefined;
  const html = isKnown ? highlighter.highlight(text, { language }).value : escapeHtml(text);
  // A scrollable area must be reachable by keyboard.
  return `<div class="code"><pre tabindex="0" aria-label="Code${language ? `, ${language}` : ""}"><code>${html}</code></pre></div>\n`;
}

/** The name of the tab in the first line of a code block, such as "```python tab=Python". */
const tabOf = (token: Token): string | undefined =>
  token.type === "code" ? / tab=(\S+)/.exec(token.lang ?? "")?.[1] : undefined;

/** Code blocks with a tab that follow each other show the same in several languages. Their script shows one of them. */
function groupTabs(tokens: readonly Token[]): Token[] {
  const grouped: Token[] = [];
  let tabs: string[] = [];
  for (const token of [...tokens, null]) {
    const tab = token ? tabOf(token) : undefined;
    if (tab) tabs.push(`<div class="tab"><p>${escapeHtml(tab)}</p>${renderCode(token as Tokens.Code)}</div>`);
    else if (token?.type !== "space" && tabs.length > 0) {
      const html = `<div class="tabs">${tabs.join("")}</div>\n`;
      grouped.push({ type: "html", block: true, pre: false, raw: html, text: html });
      tabs = [];
    }
    if (token && !tab) grouped.push(token);
  }
  return grouped;
}

const escapeHtml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const slugOf = (title: string) =>
  title
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
