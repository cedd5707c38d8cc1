import type { PostAction } from "@foyer/contract";
import { checkAll, invalid } from "../../errors.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { checkHeaders } from "../http/header-rules.ts";

const MAX_PAYLOAD_CHARACTERS = 20_000;
const spellings = { url: "webhookUrl", messageTemplate: "message" } as const;

/**
 * Checks that each action has what its type needs. Fields of other types and nulls are ignored.
 * @param checkUrl throws an OutboundError for a URL that must not be called
 * @throws AppError 400 with the path of every problem (formPostActions.0.webhookUrl)
 */
export function checkPostActions(actions: PostAction[], checkUrl: (url: string) => void): void {
  checkAll(actions.map((action, index) => () => checkAction(`formPostActions.${index}`, action, checkUrl)));
}

function checkAction(path: string, action: PostAction, checkUrl: (url: string) => void) {
  if (action.type === "webhook") checkWebhook(path, action, checkUrl);
  else if (action.type === "email") checkEmail(path, action);
  else checkTeamChat(path, action, checkUrl);
}

function checkWebhook(path: string, action: PostAction, checkUrl: (url: string) => void) {
  const { headers, payload } = action;
  checkAll([
    () => checkAddress(path, action, { field: chooseSpelling(path, action, "url"), checkUrl }),
    () => headers && checkHeaders(`${path}.headers`, headers),
    () => payload && checkPayload(`${path}.payload`, payload),
  ]);
}

function checkTeamChat(path: string, action: PostAction, checkUrl: (url: string) => void) {
  checkAll([
    () => {
      if (isBlank(action.webhookUrl))
        throw invalid(`${path}.webhookUrl`, `is required for a ${action.type} action`, "required");
      checkAddress(path, action, { field: "webhookUrl", checkUrl });
    },
    () => chooseSpelling(path, action, "messageTemplate"),
  ]);
}

function checkEmail(path: string, { recipientIds, to }: PostAction) {
  if (!recipientIds?.length && !to?.length) {
    throw invalid(
      `${path}.recipientIds`,
      "must name at least one recipient: choose a member, or add another address",
      "min_items",
    );
  }
  const blank = recipientIds?.findIndex(isBlank) ?? -1;
  if (blank !== -1) throw invalid(`${path}.recipientIds.${blank}`, "must not be empty", "min_length");
}

/** @returns the one of two spellings that was given */
function chooseSpelling<Name extends keyof typeof spellings>(path: string, action: PostAction, name: Name) {
  const other: (typeof spellings)[Name] = spellings[name];
  if (isBlank(action[name]) && isBlank(action[other])) {
    throw invalid(`${path}.${name}`, `is required for a ${action.type} action (or ${other})`, "required");
  }
  if (!isBlank(action[name]) && !isBlank(action[other])) {
    throw invalid(`${path}.${other}`, `is another spelling of ${name}. Use only one of them`, "not_allowed");
  }
  return isBlank(action[name]) ? other : name;
}

function checkAddress(
  path: string,
  action: PostAction,
  { field, checkUrl }: { field: "url" | "webhookUrl"; checkUrl: (url: string) => void },
) {
  try {
    checkUrl(action[field] ?? "");
  } catch (error) {
    throw error instanceof OutboundError ? invalid(`${path}.${field}`, error.message, "format") : error;
  }
}

/** The nesting depth was already limited when the body was parsed. */
function checkPayload(path: string, payload: Record<string, unknown>) {
  if (JSON.stringify(payload).length > MAX_PAYLOAD_CHARACTERS) {
    throw invalid(path, `must be at most ${MAX_PAYLOAD_CHARACTERS} characters of JSON`, "max_length");
  }
}

function isBlank(text: string | null | undefined): boolean {
  return !text?.trim();
}
