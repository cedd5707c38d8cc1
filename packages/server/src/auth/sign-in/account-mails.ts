import { setTimeout as wait } from "node:timers/promises";
import { toPlainName } from "@foyer/contract/rules/plain-name";
import type { PendingLinkRow } from "../../db/tables/sign-in.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import { isLoopback } from "../../loopback.ts";
import { findUser } from "../account-store.ts";
import { canSignUp } from "../members/sign-up-policy.ts";
import { insertLink, listLinks } from "./link-store.ts";

type Parts = Pick<Deps, "db" | "config" | "log" | "mailer" | "encryption" | "loopbackPrivileges">;

export type AccountMails = ReturnType<typeof createAccountMails>;

const DRAIN_MS = 2_000;

export const MAGIC_LINK_SECONDS = 600;
const RESET_LINK_SECONDS = 3_600;

/**
 * The emails about signing in. They are sent in the background, so that response times do not reveal which addresses
 * have an account. Without a mail server, links go to the log if only this machine can reach the server, and otherwise
 * to the organization's owners (`listPending`). Links always start with BASE_URL, never with a request's Host header.
 */
export function createAccountMails({ db, config, log, mailer, encryption, loopbackPrivileges }: Parts) {
  const { baseUrl } = config;
  const inFlight = new Set<Promise<unknown>>();

  function inBackground(work: Promise<unknown>): void {
    const tracked = work
      .catch((error) => log.warn({ reason: error instanceof Error ? error.message : null }, "could not send an email"))
      .finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  }

  async function deliver(
    mail: { to: string; subject: string; lines: string[]; label: string; url: string },
    kind?: PendingLinkRow["kind"],
  ) {
    const { to, subject, lines, label, url } = mail;
    if (mailer.isConfigured) {
      const parts = [...lines, { type: "link", label, url } as const, { type: "footer", text: footer } as const];
      return mailer.send({ to, subject, parts });
    }
    // A public BASE_URL with HOST on loopback means that a reverse proxy is in use. Even then, the operator can read
    // the log.
    const isLocal = config.isLoopbackOnly ? loopbackPrivileges.areGranted() : isLoopback(config.host);
    if (isLocal) return log.info({ to, url }, `email is not configured: ${subject.toLowerCase()}`);
    if (!kind) return;
    const id = newId("link");
    const createdAt = Date.now();
    const seconds = kind === "sign-in" ? MAGIC_LINK_SECONDS : RESET_LINK_SECONDS;
    const encrypted = encryption.encrypt(url, `pending-link/${id}`);
    await insertLink(db, { id, kind, email: to, url: encrypted, createdAt, expiresAt: createdAt + seconds * 1_000 });
  }

  const linkTo = (path: string, query: Record<string, string>) => `${baseUrl}${path}?${new URLSearchParams(query)}`;

  return {
    inBackground,
    /**
     * Waits for emails in flight, but at most `DRAIN_MS`, because a mail server that hangs must not block the shutdown.
     */
    drain: async (): Promise<void> => {
      const timeout = new AbortController();
      await Promise.race([
        Promise.all(inFlight),
        wait(DRAIN_MS, undefined, { signal: timeout.signal }).catch(() => {}),
      ]);
      timeout.abort();
    },
    magicLink(to: string, token: string, callbackUrl: string): void {
      const send = async () => {
        if (!(await findUser(db, to)) && !(await canSignUp(db, config, { email: to, proof: "address" }))) return;
        const url = linkTo("/auth/magic-link/verify", { token, callbackUrl });
        const lines = ["Use this link to sign in. It expires in 10 minutes and can be used once."];
        await deliver({ to, subject: "Your sign-in link", lines, label: "Sign in:", url }, "sign-in");
      };
      inBackground(send());
    },
    passwordReset(to: string, token: string): void {
      const url = linkTo("/dashboard/reset-password", { token });
      const lines = ["Use this link to choose a new password. It expires in one hour and can be used once."];
      inBackground(
        deliver({ to, subject: "Reset your password", lines, label: "Choose a new password:", url }, "password-reset"),
      );
    },
    verification(to: string, token: string): void {
      const lines = [
        "An account was created with this email address. If that was you, use this link within 24 hours to verify it.",
        "If it wasn't you, do nothing. The account cannot be used until the address is verified.",
      ];
      const url = linkTo("/auth/verify-email", { token });
      inBackground(deliver({ to, subject: "Verify your email address", lines, label: "Verify this address:", url }));
    },
    alreadySignedUp(to: string): void {
      const lines = ["Someone tried to create an account with this email address. You already have one."];
      const url = `${baseUrl}/dashboard`;
      inBackground(deliver({ to, subject: "You already have an account", lines, label: "Sign in:", url }));
    },
    /**
     * Names contain neither web addresses nor line breaks (`toPlainName`). With open sign-up, anyone can choose them and
     * invite anyone, so the subject of our email does not contain them.
     */
    invitation(
      to: string,
      { organization, inviter, url }: { organization: string; inviter: { name: string; email: string }; url: string },
    ): void {
      const name = toPlainName(organization, "an organization");
      const subject = config.openSignUp
        ? "You're invited to Foyer"
        : `${toPlainName(inviter.name, "A colleague")} invited you to ${name} on Foyer`;
      const lines = [
        `${inviter.email} invited you to join ${name}. Choose a name and a password to join. The link expires in 7 days.`,
      ];
      inBackground(deliver({ to, subject, lines, label: "Join:", url }));
    },
    /** The links that could not be emailed, for an owner to pass on; newest first. */
    async listPending(organizationId: string) {
      const rows = await listLinks(db, { organizationId, openSignUp: config.openSignUp });
      return rows.map((row) => toPendingLink(row, encryption));
    },
  };
}

function toPendingLink({ id, kind, email, url, createdAt, expiresAt }: PendingLinkRow, encryption: Deps["encryption"]) {
  return {
    kind,
    email,
    url: encryption.decrypt(url, `pending-link/${id}`),
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

const footer = "If you didn't expect this email, you can ignore it.";
