import { createAccount, insertOrganization } from "../packages/server/src/auth/account-store.ts";
// Imported here instead of during a test's first sign-in, because on a busy machine the import can take so long that
// the server sheds load.
import "../packages/server/src/auth/sign-in/library.ts";
import { newId } from "../packages/server/src/ids.ts";
import type { TestServer } from "./server.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

type WithDatabase = { deps: Pick<TestServer["deps"], "db"> };

export const password = "a long enough password";

let users = 0;

/** A verified user with `password` who owns an organization on the `pro` plan. */
export async function createOwner({ deps }: WithDatabase, email = `owner-${++users}@example.com`) {
  const name = email.split("@")[0] ?? "";
  return { email, ...(await createAccount(deps.db, { email, password, plan: "pro", name })) };
}

/** A verified user with that role in that organization and no other organization. */
export async function createMember(server: WithDatabase, organizationId: string, role: string) {
  const { db } = server.deps;
  const member = await createOwner(server, `${role}-${++users}@example.com`);
  await db.deleteFrom("organizations").where("id", "=", member.organizationId).execute();
  const { userId } = member;
  const row = { id: newId("member"), organizationId, userId, role, createdAt: new Date().toISOString() };
  await db.insertInto("members").values(row).execute();
  return { ...member, organizationId };
}

/** Creates another organization that the user owns. */
export function createOrganization({ deps }: TestServer, userId: string) {
  return insertOrganization(deps.db, { userId, name: "Second", plan: "free" });
}

/** A client that stores and sends cookies as a page of the server does. */
export function createBrowser({ app }: TestServer, { ip = "127.0.0.1" } = {}) {
  const cookies = new Map<string, string>();
  const call = async (method: Method, url: string, body?: object, headers: Record<string, string> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await app.inject({
      method,
      url,
      remoteAddress: ip,
      headers: { ...(cookie ? { cookie } : {}), "sec-fetch-site": "same-origin", ...headers },
      ...(body === undefined ? {} : { payload: body }),
    });
    const set = [response.headers["set-cookie"] ?? []].flat();
    for (const line of set) {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      if (attributes.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = response.body;
    return {
      status: response.statusCode,
      headers: response.headers,
      set,
      text,
      body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : null,
    };
  };
  return {
    cookies,
    call,
    signIn: (email: string, secret = password) => call("POST", "/auth/sign-in/email", { email, password: secret }),
  };
}

/** A client in which the user with this email address is signed in. */
export async function signedInBrowser(server: TestServer, email: string) {
  const browser = createBrowser(server);
  const { status, body } = await browser.signIn(email);
  if (status !== 200) throw new Error(`not signed in: ${status} ${JSON.stringify(body)}`);
  return browser;
}
