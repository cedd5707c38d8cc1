import { expect, it } from "vitest";
import { createKnownLinks, createLinkFilter } from "./link-filter.ts";
import { createRemovedLinks, listNamingTexts } from "./removed-links.ts";

const shop = {
  systemPrompt: "Our shop is https://shop.example/.",
  allowedOrigins: "[]",
  linkHosts: '["docs.example"]',
};

/** The text that is shown, and the hosts to which links were removed from it. */
function filter(text: string, agent = shop) {
  const isKnown = createKnownLinks(() => listNamingTexts(agent));
  const removed = createRemovedLinks(isKnown);
  const links = createLinkFilter(isKnown, removed.add);
  const shown = links.push(text) + links.flush();
  return { shown, hosts: JSON.parse(removed.toColumn() ?? "[]") };
}

it.each([
  "https://evil.example/x",
  "See https://evil.example.",
  "(https://evil.example)",
  "**https://evil.example**",
  "https://EVIL.example:8443?q=1",
  "http:\\\\evil.example",
  "https:////evil.example/",
  "https://shop.example@evil.example/",
  "https://evil.example).shop.example",
  "https://evil%2Eexample/",
  "https://evil.example|x",
  "ftp://evil.example/x",
  "//evil.example/x",
  "www.evil.example",
  "[x](https://evil.example/x)",
  "[x](//evil.example/x)",
  "[x](www.evil.example)",
  "![x](https://evil.example/x.png)",
  "[x]: https://evil.example/x",
  "<https://evil.example/x>",
  '<img src="https://evil.example/x">',
  "ada@evil.example",
  "[x](mailto:ada@evil.example)",
  "https://evil.example/a https://evil.example/b",
])("the host of the link that is removed from %j is collected once", (text) => {
  expect(filter(text).hosts).toEqual([expect.stringMatching(/^(?:www\.)?evil\.example$/)]);
});

it("an internationalized host is collected as browsers send it", () => {
  expect(filter("https://bücher.example/").hosts).toEqual(["xn--bcher-kva.example"]);
});

it.each(["https://docs.example/a", "[x](https://www.docs.example/a)", "ada@docs.example"])(
  "a link host and its subdomains are named, so %j stays",
  (text) => {
    expect(filter(text)).toEqual({ shown: text, hosts: [] });
  },
);

it.each(["https://notdocs.example", "https://docs.example.evil", "https://example/"])(
  "a link host does not name the host of %j",
  (text) => {
    expect(filter(text).shown).not.toContain("https://");
  },
);

it.each([
  "[x](javascript:alert(1))",
  "[x](/path)",
  "[x](tel:+4312345)",
  "xhttps://shop.example/",
  "https://localhost/",
])("%j leads to no host that can be allowed, so none is collected", (text) => {
  expect(filter(text).hosts).toEqual([]);
});

it("at most 10 hosts of a message are collected, and none of more than 253 characters", () => {
  const many = Array.from({ length: 30 }, (_, index) => `https://evil${index}.example`);
  expect(filter([`https://${"a.".repeat(130)}example`, ...many].join(" ")).hosts).toEqual(
    Array.from({ length: 10 }, (_, index) => `evil${index}.example`),
  );
});

it("a host can be allowed exactly as it was collected", () => {
  const { hosts } = filter("https://bücher.example/ and https://EVIL.example:8443/x");
  const allowed = filter("https://bücher.example/ and https://EVIL.example:8443/x", {
    ...shop,
    linkHosts: JSON.stringify(hosts),
  });
  expect(allowed.hosts).toEqual([]);
});
