import { createAgent } from "../factories.ts";
import { owner, type Server } from "./fault-site.ts";

/** What a member, a visitor or a key gets from a server. */
export type Answer = { status: number; body: Record<string, never> & { data?: unknown; error?: unknown } };

export type HandoffMember = Awaited<ReturnType<typeof signIn>>;

/** Calls a server without a browser. @throws TypeError when there is no answer */
export async function request(
  { url }: Server,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: JSON.parse((await response.text()) || "{}") };
}

/** The owner or another user, whose session is valid in every server of the site. */
export async function signIn({ url }: Server, user: { email: string; password: string } = owner) {
  const response = await fetch(`${url}/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify(user),
  });
  if (!response.ok) throw new Error(`signing in: ${response.status} ${await response.text()}`);
  const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]);
  const headers = { cookie: cookie.join("; "), "sec-fetch-site": "same-origin" };
  const call = (at: Server, method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    request(at, method, path, { headers: { ...headers, ...more }, ...(body ? { body } : {}) });
  return {
    headers,
    call,
    /** @returns the id of a new agent that hands over */
    createAgent: (at: Server, settings: object = {}) =>
      createAgent(
        { call: (method, path, body) => call(at, method, path, body) },
        { handoff: { isEnabled: true }, ...settings },
      ),
  };
}
