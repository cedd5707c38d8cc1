import { createHmac } from "node:crypto";

/**
 * Creates the headers that Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, version 1)
 * specifies. There is one signature for each secret, so that receivers can verify with either of them during a
 * rotation.
 * @param id the same for all attempts, so that the receiver can detect duplicates
 */
export function createWebhookHeaders({
  id,
  sentAt,
  body,
  secrets,
}: {
  id: string;
  sentAt: Date;
  body: Buffer;
  secrets: readonly string[];
}) {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
