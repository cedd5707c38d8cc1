import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openOutbound } from "../../../../../test/outbound-servers.ts";
import { buildRequest, checkHttpUrl } from "./http-template.ts";

const secretValues: Record<string, string> = {
  API_KEY: "s3cret/key value",
  TOKEN: "t0ken",
  BROKEN: "line\r\nX-Evil: 1",
};
const secretFor = async (name: string, host: string) => (host === "api.example" ? (secretValues[name] ?? null) : null);

/** The values that a tool can use besides its input, in a turn in which nothing is proven. */
const sources = (secretFor: (name: string, host: string) => Promise<string | null>) => ({
  secretFor,
  context: { visitor: null, conversation: { id: "conv_1" }, page: null },
  visitorTokenFor: async () => null,
});

type Template = { url: string; method?: "GET" | "POST" | "PUT" | "DELETE"; headers?: Record<string, string> };

function build({ url, method, headers }: Template, input: Record<string, unknown> = {}) {
  const httpHeaders = headers ? JSON.stringify(headers) : null;
  return buildRequest(
    { httpUrl: url, httpMethod: method ?? null, httpHeaders, httpBody: null },
    input,
    sources(secretFor),
  );
}

describe("checkHttpUrl", () => {
  const check = (url: string) => () => checkHttpUrl(url, openOutbound());

  it.each([
    "https://api.example",
    "http://api.example:8080/a/{b}/c.{d}?e={f}&g={{KEY}}",
    "https://api.example?{name}={value}",
    "https://api.example/{{ KEY }}/{größe}/{$filter}/{a.b-c}#part",
    "HTTPS://API.example/%7Bliteral%7D",
  ])("accepts %s", (url) => {
    expect(check(url)).not.toThrow();
  });

  it.each([
    ["ftp://api.example/", "must start with http"],
    ["{scheme}://api.example/", "must start with http"],
    ["//api.example/", "must start with http"],
    ["https:api.example/", "must start with http"],
    ["https:///api.example/", "must start with http"],
    [" https://api.example/", "must start with http"],
    ["https://", "must start with http"],
    ["https://a b/", "must start with http"],
    ["https://{host}/", "only in the path and the query"],
    ["https://api.example{x}/", "only in the path and the query"],
    ["https://{tenant}.api.example/", "only in the path and the query"],
    ["https://{{HOST}}/", "only in the path and the query"],
    ["https://{user}@api.example/", "only in the path and the query"],
    ["https://u:{{PASSWORD}}@api.example/", "only in the path and the query"],
    ["https://api.example:{port}/", "only in the path and the query"],
    ["https://api.example/#{part}", "only in the path and the query"],
    ["https://user:password@api.example/", "user name or password"],
    ["https://api.example\\{x}/", "backslashes"],
    ["https://api.example/.\t{x}/", "control characters"],
    ["https://api.example/\n", "control characters"],
    ["https://api.example/{a/b}", "a brace outside a placeholder"],
    ["https://api.example/{", "a brace outside a placeholder"],
    ["https://api.example/{{{x}}}", "a brace outside a placeholder"],
    ["https://api.example/{{API-KEY}}", "a brace outside a placeholder"],
    ['https://api.example/?q={"a":1}', "a brace outside a placeholder"],
    ["http://127.0.0.1/{x}", "may not be called"],
    ["http://2130706433/{x}", "may not be called"],
    ["http://[::ffff:7f00:1]/?q={x}", "may not be called"],
    ["http://169.254.169.254/{x}", "may not be called"],
  ])("refuses %s", (url, message) => {
    expect(check(url)).toThrow(message);
    expect(check(url)).toThrow(
      expect.objectContaining({ details: [{ path: "httpUrl", code: "format", message: expect.anything() }] }),
    );
  });

  it("does not hide an unexpected error", () => {
    const checkUrl = () => {
      throw new TypeError("broken");
    };
    expect(() => checkHttpUrl("https://api.example/", { checkUrl })).toThrow(TypeError);
  });
});

describe("the URL of a request", () => {
  it.each<[string, string, Record<string, unknown>, string]>([
    ["a segment", "/users/{id}/posts", { id: "a/b c?d#e" }, "/users/a%2Fb%20c%3Fd%23e/posts"],
    [
      "marks that some servers treat as syntax",
      "/{id}",
      { id: "!'()*;=@&+$,:" },
      "/%21%27%28%29%2A%3B%3D%40%26%2B%24%2C%3A",
    ],
    ["numbers and booleans", "/{a}/{b}", { a: 0, b: false }, "/0/false"],
    ["parts of a segment", "/{lat},{lng}.json", { lat: 1.5, lng: -2 }, "/1.5,-2.json"],
    ["dots that are no steps", "/{id}/x.{id}", { id: "..." }, "/.../x...."],
    ["an encoded step, once more encoded", "/{id}", { id: "%2e%2e" }, "/%252e%252e"],
    ["half an emoji", "/{id}", { id: "\ud83d" }, "/%EF%BF%BD"],
    ["a query value", "/?q={q}&x=1", { q: "a&b=c d" }, "/?q=a%26b%3Dc%20d&x=1"],
    ["an empty query value", "/?q={q}", { q: "" }, "/?q="],
    ["a list in a query value", "/?ids={ids}", { ids: [1, "b", true] }, "/?ids=1&ids=b&ids=true"],
    ["a query key", "/?{key}=1", { key: "a=b&c" }, "/?a%3Db%26c=1"],
    ["no path", "", { q: 1 }, "/?q=1"],
    ["inputs that it does not name", "/{id}", { id: 1, a: "b c", "k&": "v=" }, "/1?a=b%20c&k%26=v%3D"],
    ["the same after a query", "/?x=1", { a: 2 }, "/?x=1&a=2"],
    ["the same after a bare ?", "/?", { a: 2 }, "/?a=2"],
    [
      "lists, objects and nothing",
      "/",
      { l: ["a", 1, null], o: { a: [1] }, n: null, u: undefined, e: [] },
      "/?l=a&l=1&o=%7B%22a%22%3A%5B1%5D%7D",
    ],
    ["no fragment", "/a#b", {}, "/a"],
    ["an input that was not given", "/?bike={bike}&colour={colour}&x=1", { bike: "city" }, "/?bike=city&x=1"],
    ["inputs that are null", "/?a={a}-{b}&c={c}", { a: null, c: 1 }, "/?c=1"],
  ])("is filled from %s", async (_what, path, input, expected) => {
    expect((await build({ url: `https://api.example${path}` }, input)).url).toBe(`https://api.example${expected}`);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["/{id}", {}, "id is missing."],
    ["/{id}", { id: null }, "id is missing."],
    ["/?q={q}-{r}", { r: 1 }, "q is missing."],
    ["/{constructor}", {}, "constructor is missing."],
    ["/{id}", { id: "" }, "id must not be empty."],
    ["/{a}{b}/x", { a: "", b: "" }, "a, b must not be empty."],
    ["/{id}/x", { id: "." }, 'id must not be "." or "..".'],
    ["/{id}", { id: ".." }, 'id must not be "." or "..".'],
    ["/.{id}", { id: "." }, 'id must not be "." or "..".'],
    ["/%2E{id}", { id: "." }, 'id must not be "." or "..".'],
    ["/{a}{b}", { a: ".", b: "." }, 'a, b must not be "." or "..".'],
    ["/{id}", { id: ["a"] }, "id must be text, a number, true or false."],
    ["/{id}", { id: {} }, "id must be text, a number, true or false."],
    ["/?q={q}", { q: {} }, "q must be text, a number, true or false."],
    ["/?q={q}", { q: ["a", {}] }, "q must be a list of text or numbers."],
  ])("with %s cannot contain the input %j", async (path, input, message) => {
    await expect(build({ url: `https://api.example${path}` }, input)).rejects.toMatchObject({
      name: "ToolError",
      message,
    });
  });

  it("is checked again before the call", async () => {
    await expect(build({ url: "https://{host}/" }, { host: "evil.example" })).rejects.toThrow(
      "only in the path and the query",
    );
    await expect(
      buildRequest({ httpUrl: null, httpMethod: null, httpHeaders: null, httpBody: null }, {}, sources(secretFor)),
    ).rejects.toThrow("must start with http");
  });

  it("keeps scheme, host, port and path depth for any input", async () => {
    const nasty = fc.constantFrom(
      "@evil.example",
      "//evil.example",
      "\\\\evil.example",
      "#",
      "?",
      "/",
      "..",
      "../..",
      "%2e%2e",
      "\r\n",
      "\0",
      "。",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(nasty).map((parts) => parts.join("")),
    );
    const url = "http://api.example:8080/a/{x}/b{y}c/{x}?k={x}&{y}=v&s={x}{y}";
    await fc.assert(
      fc.asyncProperty(text, text, fc.dictionary(text, text), async (x, y, more) => {
        const request = await build({ url }, { ...more, x, y }).catch((error: Error) => error);
        if (request instanceof Error) {
          const isRepeatedKey = /must not name the parameter [ks],/.test(request.message);
          expect(isRepeatedKey || ["", ".", ".."].includes(x), request.message).toBe(true);
          return;
        }
        const sent = new URL(request.url);
        expect(sent.origin).toBe("http://api.example:8080");
        expect(sent.username + sent.password + sent.hash).toBe("");
        expect(sent.pathname.split("/").map((segment) => decodeURIComponent(segment))).toEqual(
          ["", "a", x, `b${y}c`, x].map((segment) => segment.toWellFormed()),
        );
        expect(sent.searchParams.get("k")).toBe(x.toWellFormed());
        // The URL parser changes nothing, so the URL that is called is exactly the URL that was built.
        expect(sent.href).toBe(request.url);
      }),
      { numRuns: 500 },
    );
  });
});

describe("method, headers and body of a request", () => {
  it("ask for uncompressed text, without a body for GET and DELETE", async () => {
    const headers = {
      "user-agent": "Foyer/0.1",
      accept: "application/json, text/*;q=0.9, */*;q=0.1",
      "accept-encoding": "identity",
    };
    const get = await build({ url: "https://api.example/" }, { a: 1 });
    expect(get).toMatchObject({ method: "GET", url: "https://api.example/?a=1", body: null });
    expect(get.headers).toEqual(headers);
    const remove = await build({ url: "https://api.example/{id}", method: "DELETE" }, { id: 1, a: 2 });
    expect(remove).toMatchObject({ method: "DELETE", url: "https://api.example/1?a=2", body: null, headers });
  });

  it.each(["POST", "PUT"] as const)("send inputs that the URL does not name as JSON with %s", async (method) => {
    const input = { id: 7, name: "Zoë", tags: ["a"], nested: { deep: null } };
    const request = await build({ url: "https://api.example/{id}?x=1", method }, input);
    expect(request).toMatchObject({ method, url: "https://api.example/7?x=1" });
    expect(JSON.parse(request.body ?? "")).toEqual({ name: "Zoë", tags: ["a"], nested: { deep: null } });
    expect(request.headers["content-type"]).toBe("application/json");
    expect((await build({ url: "https://api.example/", method })).body).toBe("{}");
  });

  it.each(["application/x-www-form-urlencoded", "Application/X-WWW-Form-URLencoded ; charset=UTF-8"])(
    "send a form when the tool's own header is %s",
    async (contentType) => {
      const input = {
        id: "7",
        "näme &": "a b&c=d+é",
        price: 4.5,
        sale: false,
        tags: ["x", null, 2],
        of: { a: [1] },
        gone: null,
      };
      const template = { url: "https://api.example/{id}", headers: { "Content-Type": contentType } };
      for (const method of ["POST", "PUT"] as const) {
        const { body, headers, url } = await build({ ...template, method }, input);
        expect([url, headers["content-type"]]).toEqual(["https://api.example/7", contentType]);
        expect([...new URLSearchParams(body ?? "")]).toEqual([
          ["näme &", "a b&c=d+é"],
          ["price", "4.5"],
          ["sale", "false"],
          ["tags", "x"],
          ["tags", "2"],
          ["of", '{"a":[1]}'],
        ]);
      }
      expect((await build({ ...template, method: "POST" }, { id: "7" })).body).toBe("");
      expect((await build({ ...template, method: "GET" }, { id: "7", a: "b" })).body).toBe(null);
    },
  );

  it.each([
    "application/json",
    "application/x-www-form-urlencoded-not",
    "text/plain; application/x-www-form-urlencoded",
  ])("send JSON when the tool's own header is %s", async (contentType) => {
    const headers = { "content-type": contentType };
    const { body } = await build({ url: "https://api.example/", method: "POST", headers }, { a: [1, null] });
    expect(body).toBe('{"a":[1,null]}');
  });

  it("contain nothing in a form that was not in the input", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const entries = fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }));
    await fc.assert(
      fc.asyncProperty(entries, async (input) => {
        const { body } = await build({ url: "https://api.example/", method: "POST", headers }, input);
        expect(body).toMatch(/^[\w.*+%&=-]*$/);
        expect([...new URLSearchParams(body ?? "")]).toEqual(
          Object.entries(input).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
        );
      }),
    );
  });

  it("prefer the tool's headers, except that responses stay uncompressed", async () => {
    const headers = {
      "User-Agent": "Shop",
      "Content-Type": "application/vnd.api+json",
      "Accept-Encoding": "gzip",
      "x-a": "{id}",
    };
    const request = await build({ url: "https://api.example/", method: "POST", headers });
    expect(request.headers).toEqual({
      "user-agent": "Shop",
      accept: "application/json, text/*;q=0.9, */*;q=0.1",
      "content-type": "application/vnd.api+json",
      "accept-encoding": "identity",
      "x-a": "{id}",
    });
  });
});

describe("secrets in a request", () => {
  it("fill headers, path and query, and are masked where the request is shown", async () => {
    const headers = { authorization: "Bearer {{TOKEN}}", "x-both": "{{ API_KEY }}-{{TOKEN}}" };
    const request = await build({ url: "https://api.example/{{API_KEY}}/{id}?t={{TOKEN}}", headers }, { id: 1 });
    expect(request.url).toBe("https://api.example/s3cret%2Fkey%20value/1?t=t0ken");
    expect(request.headers).toMatchObject({ authorization: "Bearer t0ken", "x-both": "s3cret/key value-t0ken" });
    expect(request.maskedUrl).toBe("https://api.example/{{API_KEY}}/1?t={{TOKEN}}");
    expect(request.maskedHeaders).toMatchObject({
      authorization: "Bearer {{TOKEN}}",
      "x-both": "{{API_KEY}}-{{TOKEN}}",
    });
    expect(request.secrets.toSorted()).toEqual(["s3cret/key value", "t0ken"]);
  });

  it.each<[string, Template]>([
    ["unknown", { url: "https://api.example/", headers: { "x-a": "{{PATH}}" } }],
    ["unknown in the address", { url: "https://api.example/?a={{PATH}}" }],
    ["not for this host", { url: "https://other.example/", headers: { "x-a": "{{TOKEN}}" } }],
    ["not for this port", { url: "https://api.example:8443/", headers: { "x-a": "{{TOKEN}}" } }],
  ])("cause an error that names the secret without revealing it: %s", async (_what, template) => {
    const name = /PATH|TOKEN/.exec(JSON.stringify(template))?.[0];
    const error = await build(template).catch((failure) => failure);
    expect(error).toMatchObject({ name: "ToolError", message: `The secret ${name} is not available to this tool.` });
    expect(error.problem).toContain(new URL(template.url).host);
    expect(error.problem).not.toContain("t0ken");
    expect(error.problem).not.toContain(process.env.PATH);
  });

  it("are limited to 10", async () => {
    const all = (count: number) => Array.from({ length: count }, (_, index) => `{{S${index}}}`).join("");
    const fetched: string[] = [];
    const template = (count: number) => ({
      httpUrl: "https://api.example/",
      httpMethod: null,
      httpBody: null,
      httpHeaders: JSON.stringify({ "x-a": all(count) }),
    });
    const secretOf = async (name: string) => {
      fetched.push(name);
      return name;
    };
    expect((await buildRequest(template(10), {}, sources(secretOf))).headers["x-a"]).toBe("S0S1S2S3S4S5S6S7S8S9");
    await expect(buildRequest(template(11), {}, sources(secretOf))).rejects.toMatchObject({
      problem: "A tool can use at most 10 secrets.",
    });
    expect(fetched).toHaveLength(10);
  });

  it("never come from the input", async () => {
    const template = { url: "https://api.example/{a}?b={b}", headers: { "x-a": "{a}" } };
    const request = await build(template, { a: "{{TOKEN}}", b: "{{TOKEN}}", c: "{{TOKEN}}" });
    expect(JSON.stringify(request)).not.toContain("t0ken");
  });

  it.each(["{{API-KEY}}", "{{}}", "{{TOKEN", "{{TOKEN}", "x {{ a b }}"])(
    "misspelled as %s are not sent as text",
    async (value) => {
      const error = await build({ url: "https://api.example/", headers: { "x-a": value } }).catch((failure) => failure);
      expect(error).toMatchObject({ name: "ToolError", message: "The tool is not configured correctly." });
      expect(error.problem).toContain("The header x-a contains {{");
    },
  );

  it("cannot bring a line break or an emoji into a header", async () => {
    const broken = build({ url: "https://api.example/", headers: { "x-a": "{{BROKEN}}" } });
    await expect(broken).rejects.toMatchObject({
      problem: expect.stringContaining("The header x-a contains a character"),
    });
    await expect(build({ url: "https://api.example/", headers: { "x-a": "👋" } })).rejects.toThrow("not configured");
    const latin = await build({ url: "https://api.example/", headers: { "x-a": "Zoë" } });
    expect(latin.headers["x-a"]).toBe("Zoë");
  });
});
