import Type, { type Static } from "typebox";
import { maxEmailLength } from "../rules/limits.ts";
import { idParams, nullable, ref, Success, Timestamp } from "../schema.ts";

/** An address outside the organization to which forms may send submissions after its owner has confirmed it. */
export const MailRecipient = Type.Object(
  {
    id: Type.String(),
    address: Type.String(),
    confirmedAt: nullable(Timestamp),
    createdAt: Timestamp,
  },
  { $id: "MailRecipient" },
);
export type MailRecipient = Static<typeof MailRecipient>;

const tags = ["Form submissions"];
const config = { access: "account" } as const;
const params = idParams("mail recipient");

export const listMailRecipients = {
  method: "GET",
  url: "/mail-recipients",
  config,
  schema: {
    tags,
    summary: "List the external addresses that may receive submissions by email",
    response: { 200: Type.Array(ref(MailRecipient)) },
  },
} as const;

export const createMailRecipient = {
  method: "POST",
  url: "/mail-recipients",
  config,
  schema: {
    tags,
    summary: "Add an email address. It receives a link that confirms it.",
    body: Type.Object({
      address: Type.String({
        format: "email",
        minLength: 3,
        maxLength: maxEmailLength,
        description: "The email address to add",
      }),
    }),
    response: { 201: ref(MailRecipient) },
  },
} as const;

export const sendMailRecipientLink = {
  method: "POST",
  url: "/mail-recipients/:id/confirmation",
  config,
  schema: { tags, summary: "Send the confirmation link again", params, response: { 200: ref(MailRecipient) } },
} as const;

export const deleteMailRecipient = {
  method: "DELETE",
  url: "/mail-recipients/:id",
  config,
  schema: { tags, summary: "Remove an email address", params, response: { 200: Success } },
} as const;
