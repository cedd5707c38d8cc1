import { createHash, randomBytes } from "node:crypto";
import type { MailRecipient } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { isDuplicate } from "../../db/database-errors.ts";
import type { Db } from "../../db/open.ts";
import type { MailRecipientRow } from "../../db/tables/forms.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import type { MailContent } from "../../outbound/mail-content.ts";
import { isMailAddress, normalizeAddress } from "../../outbound/smtp-address.ts";
import { createRateLimit } from "../../plans/rate-limit.ts";

const LINK_DAYS = 7;
const LINK_MS = LINK_DAYS * DAY_MS;
const MAX_RECIPIENTS = 100;
/**
 * The number of confirmation links that one organization can send per minute. The limit is low because the recipients
 * have not asked for them.
 */
const LINKS_PER_MINUTE = 5;

export type MailRecipients = ReturnType<typeof createMailRecipients>;

/** Addresses outside the organization to which submissions can be emailed after their owner has confirmed them. */
export function createMailRecipients({ db, config, mailer }: Pick<Deps, "db" | "config" | "mailer">) {
  const store = createStore(db);
  const links = createRateLimit(LINKS_PER_MINUTE, "confirmation emails");

  async function findRecipient(organizationId: string, id: string): Promise<MailRecipientRow> {
    const row = isId("recipient", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Mail recipient");
    return row;
  }

  /** @throws 409 when email is not configured, 429 after too many links */
  async function createLink(organizationId: string) {
    if (!mailer.isConfigured) {
      throw new AppError(
        "CONFLICT",
        "This server cannot send email, so the address cannot be confirmed. Set SMTP_URL.",
      );
    }
    await links.consume(organizationId);
    const token = randomBytes(32).toString("base64url");
    return { token, columns: { tokenHash: hashToken(token), tokenExpiresAt: Date.now() + LINK_MS } };
  }

  const sendLink = (organizationId: string, address: string, token: string) =>
    mailer.send({ to: address, organizationId, ...linkMail(config.baseUrl, token) }).catch(refuseUnsent);

  return {
    async list(organizationId: string): Promise<MailRecipient[]> {
      return (await store.list(organizationId)).map(toMailRecipient);
    },
    /** @throws 400 for an invalid email address, 409 when the organization already has it or has too many */
    async create(organizationId: string, input: string): Promise<MailRecipient> {
      const address = normalizeAddress(input);
      if (!isMailAddress(address)) throw invalid("address", "must be an email address such as you@example.com");
      if ((await store.list(organizationId)).length >= MAX_RECIPIENTS) {
        throw new AppError("CONFLICT", `An organization can have ${MAX_RECIPIENTS} mail recipients. Remove one first.`);
      }
      const { token, columns } = await createLink(organizationId);
      const row = {
        id: newId("recipient"),
        organizationId,
        address,
        ...columns,
        confirmedAt: null,
        createdAt: Date.now(),
      };
      await store.insert(row).catch((error: unknown) => {
        throw isDuplicate(error) ? new AppError("CONFLICT", `${address} is already a mail recipient.`) : error;
      });
      await sendLink(organizationId, address, token);
      return toMailRecipient(row);
    },
    /** Sends a new link, which replaces the previous one. A confirmed address stays confirmed. */
    async sendLink(organizationId: string, id: string): Promise<MailRecipient> {
      const row = await findRecipient(organizationId, id);
      if (row.confirmedAt !== null) return toMailRecipient(row);
      const { token, columns } = await createLink(organizationId);
      await store.update(organizationId, id, columns);
      await sendLink(organizationId, row.address, token);
      return toMailRecipient(row);
    },
    async delete(organizationId: string, id: string): Promise<void> {
      await findRecipient(organizationId, id);
      await store.delete(organizationId, id);
    },
    /** The address that an unexpired link would confirm, or undefined. */
    async addressFor(token: string): Promise<string | undefined> {
      return (await store.byToken(hashToken(token), Date.now()))?.address;
    },
    /** Confirms an address. @returns the address, or undefined when the link has expired or was replaced */
    async confirm(token: string): Promise<string | undefined> {
      const row = await store.byToken(hashToken(token), Date.now());
      if (row && row.confirmedAt === null) await store.update(row.organizationId, row.id, { confirmedAt: Date.now() });
      return row?.address;
    },
    /** The organization's recipients with these addresses, which must be normalized. */
    async among(organizationId: string, addresses: readonly string[]) {
      if (addresses.length === 0) return [];
      return store.among(organizationId, [...new Set(addresses.map(normalizeAddress))]);
    },
  };
}

const hashToken = (token: string) => createHash("sha256").update(token).digest("hex");

function linkMail(baseUrl: string, token: string): MailContent {
  return {
    subject: "Confirm that you want to receive form submissions",
    parts: [
      `The forms on ${baseUrl} can send their submissions to this address after you confirm it.`,
      { type: "link", label: "Confirm this address:", url: `${baseUrl}/mail-recipients/confirm?token=${token}` },
      `The link expires in ${LINK_DAYS} days. If you didn't expect this email, ignore it and nothing will be sent to you.`,
    ],
  };
}

function refuseUnsent(error: unknown): never {
  const reason = error instanceof Error ? error.message : "The mail server rejected the email.";
  throw new AppError("CONFLICT", `The address was saved, but the confirmation link could not be sent. ${reason}`);
}

function toMailRecipient({ id, address, confirmedAt, createdAt }: MailRecipientRow): MailRecipient {
  return {
    id,
    address,
    confirmedAt: confirmedAt === null ? null : new Date(confirmedAt).toISOString(),
    createdAt: new Date(createdAt).toISOString(),
  };
}

function createStore(db: Db) {
  const selectOwned = (organizationId: string) =>
    db.selectFrom("mailRecipients").selectAll().where("organizationId", "=", organizationId);
  return {
    list: (organizationId: string) => selectOwned(organizationId).orderBy("id").execute(),
    get: (organizationId: string, id: string) => selectOwned(organizationId).where("id", "=", id).executeTakeFirst(),
    among: (organizationId: string, addresses: string[]) =>
      selectOwned(organizationId).where("address", "in", addresses).execute(),
    byToken: (tokenHash: string, now: number) =>
      db
        .selectFrom("mailRecipients")
        .selectAll()
        .where("tokenHash", "=", tokenHash)
        .where("tokenExpiresAt", ">", now)
        .executeTakeFirst(),
    insert: (row: MailRecipientRow) => db.insertInto("mailRecipients").values(row).execute(),
    update: (organizationId: string, id: string, changes: Partial<MailRecipientRow>) =>
      db
        .updateTable("mailRecipients")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .execute(),
    delete: (organizationId: string, id: string) =>
      db.deleteFrom("mailRecipients").where("id", "=", id).where("organizationId", "=", organizationId).execute(),
  };
}
