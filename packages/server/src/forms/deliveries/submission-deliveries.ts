import type { PostAction, SubmitResult } from "@foyer/contract";
import type { SubmissionRow } from "../../db/tables/forms.ts";
import type { DeliveryRow } from "../../db/tables/outbox.ts";
import type { ToolRow } from "../../db/tables.ts";
import { newId } from "../../ids.ts";
import { normalizeAddress } from "../../outbound/smtp-address.ts";
import type { NewDelivery } from "../../outbox/delivery-queue.ts";
import { hostOf, MAIL_HOST } from "../../outbox/host-of.ts";
import { deliveryDefaults } from "../submission-delivery.ts";
import type { DeliveryOutcome } from "../submission-store.ts";
import type { Confirmation } from "./confirmations.ts";
import type { DeliveryTarget } from "./send-delivery.ts";

type Form = Pick<ToolRow, "formExecutionMode" | "formWebhookUrl" | "formPostActions">;

/**
 * The difference between the positions of two consecutive post actions. It leaves room for one email per recipient of
 * an action.
 */
const ACTION_STEP = 100;
/** The position of the confirmation email, after the last of at most 20 post actions. */
const CONFIRMATION_POSITION = 21 * ACTION_STEP;

/**
 * Creates the deliveries of a submission: the webhook (if the execution mode includes it and a URL is set), then the
 * post actions. Each waits for the first attempt of the previous one.
 */
export function createDeliveries(
  form: Form,
  submission: Pick<SubmissionRow, "id" | "organizationId" | "createdAt">,
): NewDelivery[] {
  const { id: submissionId, organizationId, createdAt } = submission;
  return listParts(form).map(({ position, type, target }, index) => ({
    ...deliveryDefaults,
    id: newId("delivery"),
    organizationId,
    submissionId,
    position,
    type,
    ...createAddress(target),
    purpose: position === 0 ? "webhook" : "action",
    state: index === 0 ? "pending" : "waiting",
    createdAt,
  }));
}

/**
 * Creates the delivery of the confirmation email to the visitor. `isFirst` is true if it does not wait for a webhook.
 */
export function createConfirmationDelivery(
  { id: submissionId, organizationId, createdAt }: Pick<SubmissionRow, "id" | "organizationId" | "createdAt">,
  { address: to, subject, message }: Confirmation,
  isFirst: boolean,
): NewDelivery {
  return {
    ...deliveryDefaults,
    id: newId("delivery"),
    organizationId,
    submissionId,
    position: CONFIRMATION_POSITION,
    type: "email",
    purpose: "confirmation",
    state: isFirst ? "pending" : "waiting",
    ...createAddress({ to: [to], subject, message }),
    createdAt,
  };
}

/**
 * Returns the address to which the form would send this delivery now, or null if the form no longer has the webhook or
 * action.
 */
export function findCurrentAddress(form: Form, { position, type }: Pick<DeliveryRow, "position" | "type">) {
  const part = listParts(form).find((candidate) => candidate.position === position && candidate.type === type);
  return part ? createAddress(part.target) : null;
}

type Part = Pick<DeliveryRow, "position" | "type"> & { target: DeliveryTarget };

function listParts(form: Form): Part[] {
  const url = (form.formExecutionMode ?? "webhook") === "client" ? null : form.formWebhookUrl;
  const actions: PostAction[] = form.formPostActions ? JSON.parse(form.formPostActions) : [];
  return [
    ...(url ? [{ position: 0, type: "webhook", target: { url } } as const] : []),
    ...actions.flatMap(({ type, ...target }, index): Part[] => {
      const position = (index + 1) * ACTION_STEP;
      if (type !== "email") return [{ position, type, target }];
      const { recipientIds, to, ...rest } = target;
      const emails: DeliveryTarget[] = [
        ...(recipientIds ?? []).map((id) => ({ ...rest, recipientIds: [id] })),
        ...(to ?? []).map((recipient) => ({ ...rest, to: [normalizeAddress(recipient)] })),
      ];
      return emails.map((mail, recipientIndex) => ({ position: position + recipientIndex, type, target: mail }));
    }),
  ];
}

/** Summarizes the state of a submission's deliveries for the visitor. */
export function summarizeOutcomes(
  outcomes: readonly DeliveryOutcome[],
): Pick<SubmitResult, "webhookResult" | "postActionResults"> {
  const webhook = outcomes.find(({ purpose }) => purpose === "webhook");
  const actions = Map.groupBy(
    outcomes.filter(({ purpose }) => purpose === "action"),
    ({ position }) => Math.floor(position / ACTION_STEP),
  );
  return {
    webhookResult: webhook
      ? summarizeWebhook(webhook)
      : { success: true, state: "delivered", error: null, attempted: false },
    postActionResults: [...actions.values()].map((parts) => ({
      type: parts[0]?.type ?? "",
      success: parts.every(({ state }) => state === "delivered"),
      state: summarizeStates(parts),
    })),
  };
}

function summarizeWebhook(webhook: DeliveryOutcome) {
  const state = summarizeStates([webhook]);
  if (state === "delivered") return { success: true, state, error: null };
  return { success: false, state, error: webhook.error ?? "Delivery in progress" };
}

function summarizeStates(parts: readonly DeliveryOutcome[]): SubmitResult["webhookResult"]["state"] {
  const hasState = (...states: DeliveryOutcome["state"][]) => parts.some(({ state }) => states.includes(state));
  if (hasState("waiting", "pending")) return "pending";
  return hasState("failed") ? "failed" : "delivered";
}

function createAddress(target: DeliveryTarget): { target: string; host: string } {
  const url = target.url || target.webhookUrl;
  return { target: JSON.stringify(target), host: url ? hostOf(url) : MAIL_HOST };
}
