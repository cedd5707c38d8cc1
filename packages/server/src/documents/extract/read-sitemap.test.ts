import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { readSitemap } from "./read-sitemap.ts";

const a = "https://shop.example/a";
const b = "https://shop.example/b";
const urlset = (entries: string) => `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`;
const both = urlset(`<url><loc>${a}</loc></url><url><loc>${b}</loc></url>`);
const bytes = (text: string) => Buffer.from(text);

it.each<[string, Buffer]>([
  ["is valid", bytes(`<?xml version="1.0" encoding="UTF-8"?>${both}`)],
  ["starts with an empty line", bytes(`\n<?xml version="1.0"?>${both}`)],
  ["starts with the warning of a script", bytes(`<br />\n<b>Warning</b>: line 3<br />\n<?xml version="1.0"?>${both}`)],
  ["has an ampersand that is not escaped", bytes(both.replace("</urlset>", "<url><note>a&b</note></url></urlset>"))],
  ["has an entity of HTML", bytes(both.replace("</urlset>", "<x:title>A&nbsp;B</x:title></urlset>"))],
  ["has a document type", bytes(`<!DOCTYPE urlset>${both}`)],
  ["is in UTF-16 with a byte order mark", Buffer.from(`\ufeff${both}`, "utf16le")],
  ["is in UTF-16 without a byte order mark", Buffer.from(both, "utf16le")],
  ["is compressed twice", gzipSync(gzipSync(both))],
  [
    "has prefixes and CDATA",
    bytes(
      `<sm:urlset><sm:url><sm:loc><![CDATA[${a}]]></sm:loc></sm:url><sm:url><sm:loc> ${b} </sm:loc></sm:url></sm:urlset>`,
    ),
  ],
  [
    "is a feed of RSS",
    bytes(
      `<rss><channel><link>https://shop.example/</link><item><link>${a}</link></item><item><link>${b}</link></item></channel></rss>`,
    ),
  ],
  [
    "is a feed of Atom",
    bytes(
      `<feed><link href="https://shop.example/"/><entry><link href="${a}"/><link rel="edit" href="${a}/edit"/></entry><entry><link rel="alternate" href="${b}"/></entry></feed>`,
    ),
  ],
  ["is a list of lines that end with CR", bytes(`${a}\r${b}\r`)],
])("reads all pages of a sitemap that %s", (_, content) => {
  expect(readSitemap(content)).toEqual({ pages: [a, b], sitemaps: [], isCut: false });
});

it("reads the pages before the end of a sitemap that is cut, and reports it", () => {
  const cut = both.slice(0, both.indexOf(b) + 12);
  expect(readSitemap(bytes(cut))).toMatchObject({ pages: expect.arrayContaining([a]), isCut: true });
});

it("reads the pages of a compressed sitemap before the byte at which it is cut", () => {
  const compressed = gzipSync(both, { level: 0 });
  const cut = compressed.subarray(0, compressed.indexOf(b) + 12);
  expect(readSitemap(cut)).toMatchObject({ pages: expect.arrayContaining([a]), isCut: true });
});

it("does not take addresses of images for pages", () => {
  const images = urlset(`<url><loc>${a}</loc><image:image><image:loc>${b}.png</image:loc></image:image></url>`);
  expect(readSitemap(bytes(images)).pages).toEqual([a]);
});

it("expands no entities of a document type", () => {
  const hostile = `<!DOCTYPE urlset [<!ENTITY x "aaaa">]>${urlset("<url><loc>https://shop.example/&x;</loc></url>")}`;
  expect(readSitemap(bytes(hostile)).pages).toEqual(["https://shop.example/&x;"]);
});

it("refuses an HTML page", () => {
  expect(() => readSitemap(bytes("<!doctype html><p>Not found"))).toThrow("an HTML page");
});

it("reads the sitemaps of an index", () => {
  const index = `<sitemapindex><sitemap><loc>${a}.xml</loc></sitemap></sitemapindex>`;
  expect(readSitemap(bytes(index))).toEqual({ pages: [], sitemaps: [`${a}.xml`], isCut: false });
});
