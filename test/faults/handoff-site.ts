import { createAgent } from "../factories.ts";
import { createFaultSite, type Life, owner } from "./fault-site.ts";

/** What a member, a visitor or a key gets from a server. */
type Answer = { status: number; body: Record<string, never> & { data?: unknown; error?: unknown } };

export type HandoffMember = Awaited<ReturnType<typeof signIn>>;

/** Raises the limits that a test would reach because all of its visitors come from one address. */
const unlimited = Object.fromEntries(
  ["CHAT_PER_IP", "CHAT_PER_SESSION", "RUNNING_PER_IP", "STREAMS_PER_IP", "SIGN_IN_PER_ADDRESS", "SIGN_IN_PER_IP"].map(
    (name) => [`FOYER_LIMIT_${name}`, "0"],
  ),
);

/** A fault site whose servers let visitors ask for a person as often as the test wants. */
export const createHandoffSite = (kind: Parameters<typeof createFaultSite>[0], env: Record<string, string> = {}) =>
  createFaultSite(kind, { ...unlimited, ...env });

/** Calls a server without a browser. @throws TypeError when there is no answer */
async function request(
  life: Life,
  method: string,
  path: string,
  { headers = {}, body }: { headers?: Record<string, string>; body?: object } = {},
): Promise<Answer> {
  const response = await fetch(life.url + path, {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, body: JSON.parse((await response.text()) || "{}") };
}

/** The owner, whose session is valid in every server of the site. */
export async function signIn(life: Life) {
  const response = await fetch(`${life.url}/auth/sign-in/email`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify(owner),
  });
  if (!response.ok) throw new Error(`signing in: ${response.status} ${await response.text()}`);
  const cookie = response.headers.getSetCookie().map((line) => line.split(";")[0]);
  const headers = { cookie: cookie.join("; "), "sec-fetch-site": "same-origin" };
  const call = (at: Life, method: string, path: string, body?: object, more: Record<string, string> = {}) =>
    request(at, method, path, { headers: { ...headers, ...more }, ...(body ? { body } : {}) });
  return {
    headers,
    call,
    /** @returns the id of a new agent that hands over */
    createAgent: (at: Life, settings: object = {}) =>
      createAgent(
        { call: (method, path, body) => call(at, method, path, body) },
        { handoff: { isEnabled: true }, ...settings },
      ),
  };
}
