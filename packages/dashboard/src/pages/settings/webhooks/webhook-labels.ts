import type { Webhook, WebhookDelivery } from "@foyer/contract";

type Label = { word: string; tone: "plain" | "fine" | "warning" | "wrong" | "live" };

/** The description of a webhook, or the host it sends to. */
export function webhookName({ description, url }: Pick<Webhook, "description" | "url">): string {
  return description || (URL.canParse(url) ? new URL(url).host : url);
}

export function webhookStatus({ isEnabled, disabledReason }: Pick<Webhook, "isEnabled" | "disabledReason">): Label {
  if (isEnabled) return { word: "Enabled", tone: "fine" };
  return disabledReason ? { word: "Disabled by Foyer", tone: "wrong" } : { word: "Disabled", tone: "plain" };
}

/** @param error why the last attempt failed, if there was one and it did */
export function deliveryStatus(state: WebhookDelivery["state"], error: string | null): Label {
  if (state === "delivered") return { word: "Delivered", tone: "fine" };
  if (state === "failed") return { word: "Failed", tone: "wrong" };
  return error === null ? { word: "Pending", tone: "live" } : { word: "Retrying", tone: "warning" };
}
