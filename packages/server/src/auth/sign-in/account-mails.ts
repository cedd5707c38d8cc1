import { setTimeout as wait } from "node:timers/promises";
import { toPlainName } from "@foyer/contract/rules/plain-name";
import type { PendingLinkRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { newId } from "../../ids.ts";
import { isLoopback } from "../../loopback.ts";
import { findUser } from "../account-store.ts";
import { canSignUp } from "../members/sign-up-policy.ts";
import { insertLink, linksFor } from "./link-store.ts";

type Parts = Pick<Deps, "db" | "config" | "log" | "mailer" | "encryption" | "loopbackPrivileges">;

export type AccountMails = ReturnType<typeof createAccountMails>;

const SETTLE_MS = 2_000;

export const MAGIC_LINK_SECONDS = 600;
const RESET_LINK_SECONDS = 3_600;

/**
 * What the server writes to people about signing in. It goes out in the background, so that the time of an answer does
 * not tell who has an account. Without a mail server links go to the log, when only this machine can reach us, or else
 * to the owners (`pending`). Links begin with BASE_URL, whatever a request claimed to be sent to.
 */
export function createAccountMails({ db, config, log, mailer, encryption, loopbackPrivileges }: Parts) {
  const { baseUrl } = config;
  const underWay = new Set<Promise<unknown>>();

  function inBackground(work: Promise<unknown>): void {
    const done = work
      .catch((error) => log.warn({ reason: error instanceof Error ? error.message : null }, "a mail was not sent"))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  async function hand(
    mail: { to: string; subject: string; lines: string[]; url: string },
    kind?: PendingLinkRow["kind"],
  ) {
    const { to, subject, lines, url } = mail;
    if (mailer.isConfigured) return mailer.send({ to, subject, text: [...lines, "", url, "", farewell].join("\n") });
    // With a public BASE_URL and HOST on loopback there is a proxy; the operator still reads the log.
    const isLocal = config.isLoopbackOnly ? loopbackPrivileges.areGranted() : isLoopback(config.host);
    if (isLocal) return log.info({ to, url }, `no mail server is set up; ${subject.toLowerCase()}`);
    if (!kind) return;
    const id = newId("link");
    const createdAt = Date.now();
    const seconds = kind === "sign-in" ? MAGIC_LINK_SECONDS : RESET_LINK_SECONDS;
    const encrypted = encryption.encrypt(url, `pending-link/${id}`);
    await insertLink(db, { id, kind, email: to, url: encrypted, createdAt, expiresAt: createdAt + seconds * 1_000 });
  }

  const address = (path: string, query: Record<string, string>) => `${baseUrl}${path}?${new URLSearchParams(query)}`;

  return {
    inBackground,
    /** Waits for what is being sent, but not long: a mail server that hangs must not keep this one from ending. */
    settled: async (): Promise<void> => {
      const waited = new AbortController();
      await Promise.race([
        Promise.all(underWay),
        wait(SETTLE_MS, undefined, { signal: waited.signal }).catch(() => {}),
      ]);
      waited.abort();
    },
    magicLink(to: string, token: string, callbackUrl: string): void {
      const send = async () => {
        if (!(await findUser(db, to)) && !(await canSignUp(db, config, to, "address"))) return;
        const url = address("/auth/magic-link/verify", { token, callbackUrl });
        const lines = ["Follow this link to sign in. It works once, for ten minutes."];
        await hand({ to, subject: "Your link to sign in", lines, url }, "sign-in");
      };
      inBackground(send());
    },
    passwordReset(to: string, token: string): void {
      const url = address("/dashboard/reset-password", { token });
      const lines = ["Follow this link to choose a new password. It works once, for an hour."];
      inBackground(hand({ to, subject: "Choose a new password", lines, url }, "password-reset"));
    },
    verification(to: string, token: string): void {
      const lines = [
        "Somebody made an account with this address. If that was you, follow this link within a day to confirm it.",
        "If it was not, do nothing: without the link nobody can use the account.",
      ];
      const url = address("/auth/verify-email", { token });
      inBackground(hand({ to, subject: "Confirm your e-mail address", lines, url }));
    },
    alreadySignedUp(to: string): void {
      const lines = ["Somebody, perhaps you, tried to make an account with this address. You have one; sign in here:"];
      inBackground(hand({ to, subject: "You have an account already", lines, url: `${baseUrl}/dashboard` }));
    },
    /** The subject is always the same: a name that a stranger chose must not headline our mail. */
    invitation(to: string, organization: string, inviter: string, url: string): void {
      const name = toPlainName(organization, "their organization");
      const lines = [`${inviter} invited you to join ${name}. The link works for seven days:`];
      inBackground(hand({ to, subject: "You have been invited to Foyer", lines, url }));
    },
    /** The links that went nowhere, for an owner to hand on; newest first. */
    async pending(organizationId: string) {
      const rows = await linksFor(db, organizationId, Date.now(), config);
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

const farewell = "If you did not expect this mail, you can ignore it.";
