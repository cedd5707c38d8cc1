import { expect, it } from "vitest";
import { createPostgresServers, parseServerUrls } from "./postgres-servers.ts";

const unavailable = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

it.each([
  ["postgres://ada:p%40ss@db/foyer", ["postgres://ada:p%40ss@db/foyer"]],
  [
    "postgresql://ada@first:5432,second:5433/foyer?target_session_attrs=read-write&sslmode=require",
    ["postgresql://ada@first:5432/foyer?sslmode=require", "postgresql://ada@second:5433/foyer?sslmode=require"],
  ],
  ["postgres://[::1]:5432,[::2]/foyer", ["postgres://[::1]:5432/foyer", "postgres://[::2]/foyer"]],
  [
    "postgres://ada@localhost/foyer?host=/run/a,/run/b&port=5432",
    [
      "postgres://ada@localhost/foyer?host=%2Frun%2Fa&port=5432",
      "postgres://ada@localhost/foyer?host=%2Frun%2Fb&port=5432",
    ],
  ],
])("the PostgreSQL address %s is split into one per server", (address, urls) => {
  expect(parseServerUrls(address)).toEqual(urls);
});

it.each(["mysql://db/foyer", "postgres://db:port/foyer", "postgres://a,b:port/foyer", "db:5432"])(
  "the PostgreSQL address %s is refused with the expected form",
  (address) => {
    expect(() => parseServerUrls(address)).toThrow("postgres://user:password@host:port/database");
  },
);

it("an address that asks PostgreSQL for a standby is refused", () => {
  expect(() => parseServerUrls("postgres://a,b/foyer?target_session_attrs=standby")).toThrow("read-write");
});

it("a connection is opened to the next server when one is unavailable, and stays with it", async () => {
  const servers = createPostgresServers("postgres://a,b,c/foyer");
  const tried: string[] = [];
  const open = (working: string) => async (url: string) => {
    tried.push(new URL(url).hostname);
    if (new URL(url).hostname !== working) throw unavailable();
    return url;
  };
  await Promise.all([servers.connect(open("b")), servers.connect(open("b"))]);
  expect(tried).toEqual(["a", "a", "b", "b"]);
  await servers.connect(open("b"));
  expect(tried.at(-1)).toBe("b");
  await expect(servers.connect(open("none"))).rejects.toThrow("ECONNREFUSED");
  expect(tried.slice(5)).toEqual(["b", "c", "a"]);
});

it("a wrong password is reported without trying another server", async () => {
  const servers = createPostgresServers("postgres://a,b/foyer");
  const wrong = Object.assign(new Error("password authentication failed"), { code: "28P01" });
  await expect(servers.connect(() => Promise.reject(wrong))).rejects.toBe(wrong);
  expect(new URL(servers.current()).hostname).toBe("a");
});

it("a server without TLS is used without it when TLS is only preferred", async () => {
  const servers = createPostgresServers("postgres://a/foyer?sslmode=prefer");
  const tried: string[] = [];
  const open = async (url: string) => {
    tried.push(new URL(url).search);
    if (url.includes("sslmode=no-verify")) throw new Error("The server does not support SSL connections");
  };
  await Promise.all([servers.connect(open), servers.connect(open)]);
  await servers.connect(open);
  expect(tried).toEqual(["no-verify", "no-verify", "disable", "disable", "disable"].map((mode) => `?sslmode=${mode}`));
});

it("a server without TLS is refused when TLS is required", async () => {
  const servers = createPostgresServers("postgres://a/foyer?sslmode=require");
  const refused = new Error("The server does not support SSL connections");
  await expect(servers.connect(() => Promise.reject(refused))).rejects.toBe(refused);
});

it("an address with the schema parameter of another client is refused, and names PostgreSQL's own", () => {
  expect(() => parseServerUrls("postgres://a/foyer?schema=chat")).toThrow("options=-c%20search_path%3Dname");
});
