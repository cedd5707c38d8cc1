import type { Session } from "@foyer/contract";
import { useSyncExternalStore } from "react";
import { serverPath, serverUrl } from "./server-address.ts";

/** The account and organization that this page was opened with. */
type Holder = Pick<Session, "user" | "organization">;

/**
 * What interrupts the page: its session has ended, or this browser is now signed in as someone else (`other`). Requests
 * wait until the member has decided.
 */
export type Interruption = { reason: "ended" } | { reason: "other"; session: Session };

let holder: Holder | null = null;
let interruption: Interruption | null = null;
let isShown = false;
let waiting: Array<(isResolved: boolean) => void> = [];
const listeners = new Set<() => void>();
const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("foyer.session") : null;

/**
 * Sends every request of the dashboard. When the session has ended, a dialog asks the member to sign in over the page,
 * and the request is then sent again, so that nothing typed is lost. Pages without a session (`holdSession` was never
 * called) receive the 401.
 */
export const guardedFetch: typeof fetch = async (input, init) => {
  if (isAboutSession(input)) return fetch(input, init);
  if (interruption && !(await waitForDecision(init))) return signedOutResponse();
  const response = await fetch(input, init);
  if (response.status !== 401 || holder === null) return response;
  const found = await readSession();
  // The server did not answer, so the call can be repeated later.
  if (found === "unknown") return response;
  if (found === null) interrupt({ reason: "ended" });
  else if (found.user.id !== holder.user.id) interrupt({ reason: "other", session: found });
  // Otherwise another tab has signed in again, or the 401 is not about the session.
  if (interruption && !(await waitForDecision(init))) return response;
  return fetch(input, init);
};

/** Signing in and out does not wait for a session. */
function isAboutSession(input: RequestInfo | URL): boolean {
  const { pathname } = new URL(String(input), location.origin);
  return ["/auth/sign-", "/auth/options", "/auth/magic-link"].some((path) => pathname.startsWith(serverPath(path)));
}

function signedOutResponse(): Response {
  return Response.json({ error: { code: "UNAUTHORIZED", message: "Sign in to continue." } }, { status: 401 });
}

/** @returns null without a session, and `unknown` when the server did not answer */
async function readSession(): Promise<Session | null | "unknown"> {
  const response = await fetch(`${serverUrl()}/auth/session`, { credentials: "same-origin" }).catch(() => null);
  if (response?.ok) return response.json();
  return response?.status === 401 ? null : "unknown";
}

/** Remembers whose page this is, and tells the browser's other tabs. @returns a function that forgets it */
export function holdSession(session: Holder): () => void {
  const isNew = holder?.user.id !== session.user.id;
  holder = session;
  if (isNew) tabs?.postMessage(session.user.id);
  return () => {
    holder = null;
  };
}

/** Follows sign-ins in other tabs of this browser. @returns a function that stops it */
export function followSignIns(): () => void {
  const onSignIn = async ({ data: userId }: MessageEvent<string>) => {
    if (holder === null || (interruption === null && userId === holder.user.id)) return;
    const found = await readSession();
    if (found === null || found === "unknown" || holder === null) return;
    if (found.user.id === holder.user.id) await continueWith(found);
    else interrupt({ reason: "other", session: found });
  };
  tabs?.addEventListener("message", onSignIn);
  return () => tabs?.removeEventListener("message", onSignIn);
}

/** Whether the session's person belongs to the organization of this page. */
export function canContinueWith(session: Session): boolean {
  const organizationId = holder?.organization?.id;
  return organizationId === undefined || session.organizations.some(({ id }) => id === organizationId);
}

/**
 * Ends the interruption with this session and sends the waiting requests. A new session starts in the member's first
 * organization, so it is switched back to the one of this page. For someone who does not belong to it, the requests
 * fail, because they would change another organization.
 */
export async function continueWith(session: Session): Promise<void> {
  if (!canContinueWith(session)) return dismissInterruption();
  const organizationId = holder?.organization?.id;
  if (organizationId !== undefined && session.organization?.id !== organizationId) {
    await fetch(`${serverUrl()}/auth/switch-organization`, {
      method: "POST",
      credentials: "same-origin",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ organizationId }),
    });
  }
  holder = { user: session.user, organization: holder?.organization ?? session.organization };
  tabs?.postMessage(session.user.id);
  interruption = null;
  show(false);
  settle(true);
}

/** Closes the dialog. The waiting requests fail, and the page keeps what was typed. */
export function dismissInterruption(): void {
  show(false);
  settle(false);
}

/** What the dialog has to ask, or null. */
export function useInterruption(): Interruption | null {
  return useSyncExternalStore(subscribe, () => (isShown ? interruption : null));
}

function interrupt(next: Interruption): void {
  // A dismissed dialog returns only for a call that changes something (`waitForDecision`).
  if (interruption === null || interruption.reason !== next.reason) isShown = true;
  interruption = next;
  show(isShown);
}

/** @returns whether the request may be sent again */
function waitForDecision(init: RequestInit | undefined): Promise<boolean> {
  const isRead = (init?.method ?? "GET") === "GET";
  if (!isShown && isRead) return Promise.resolve(false);
  show(true);
  return new Promise((resolve) => waiting.push(resolve));
}

function show(next: boolean): void {
  isShown = next;
  for (const listener of listeners) listener();
}

function settle(isResolved: boolean): void {
  const resolves = waiting;
  waiting = [];
  for (const resolve of resolves) resolve(isResolved);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
