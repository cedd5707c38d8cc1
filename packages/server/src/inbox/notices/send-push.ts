import { createHash } from "node:crypto";
import type { PushSubscriptionRow } from "../../db/tables/notices.ts";
import type { Deps } from "../../deps.ts";
import type { AttemptResult } from "../../outbox/attempts.ts";
import { createFailure, createPost, explainFailure } from "../../outbox/send-response.ts";
import { encryptPush } from "./push-encryption.ts";
import type { PushKeyPair } from "./push-keys.ts";

/**
 * The message that the dashboard's service worker shows. `url` is a path on this server. A message replaces an earlier
 * one with the same `tag`.
 */
type PushMessage = { title: string; body: string; url: string; tag: string };

/** How long a push service keeps a message for a browser that is offline, in seconds. */
const TTL_SECONDS = 4 * 3_600;
/** RFC 8292 allows at most 24 hours. */
const TOKEN_LIFETIME = "12h";

export type SendPush = (
  subscription: Pick<PushSubscriptionRow, "organizationId" | "endpoint" | "p256dh" | "auth">,
  message: PushMessage,
  signal: AbortSignal,
) => Promise<AttemptResult>;

/** Statuses that mean that a push subscription no longer exists. */
export const isGone = (status: number | null) => status === 404 || status === 410;

/** Sends one message through a push service. Failures of the service are part of the result. */
export function createPushSender(
  deps: Pick<Deps, "config" | "outbound" | "log">,
  keys: () => Promise<PushKeyPair>,
): SendPush {
  const post = createPost(deps);
  const { baseUrl, mail } = deps.config;
  // Push services reject a subject that is neither an https URL nor a mail address.
  const subject = baseUrl.startsWith("https:") ? baseUrl : `mailto:${mail.from.address}`;

  return async ({ organizationId, endpoint, p256dh, auth }, message, signal) => {
    try {
      const headers = {
        authorization: await createAuthorization(await keys(), new URL(endpoint).origin, subject),
        "content-encoding": "aes128gcm",
        ttl: String(TTL_SECONDS),
        urgency: "high",
        topic: createHash("sha256").update(message.tag).digest("base64url").slice(0, 32),
      };
      const body = encryptPush({ p256dh, auth }, Buffer.from(JSON.stringify(message)));
      const result = await post({
        url: endpoint,
        organizationId,
        headers,
        body,
        signal,
        contentType: "application/octet-stream",
      });
      if (!isGone(result.status)) return result;
      const detail = "The browser has withdrawn its subscription, or it was removed for inactivity.";
      return { ...createFailure("Unsubscribed", detail), status: result.status, isFinal: true };
    } catch (error) {
      return explainFailure(error, signal, deps.log);
    }
  };
}

/** The header of RFC 8292, which names this server to the push service. */
async function createAuthorization({ publicKey, privateKey }: PushKeyPair, audience: string, subject: string) {
  const point = Buffer.from(publicKey, "base64url");
  const [x = "", y = ""] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  // Imported on first use, because most servers send no push messages.
  const { importJWK, SignJWT } = await import("jose");
  const key = await importJWK({ kty: "EC", crv: "P-256", x, y, d: privateKey }, "ES256");
  const token = await new SignJWT()
    .setProtectedHeader({ alg: "ES256", typ: "JWT" })
    .setAudience(audience)
    .setSubject(subject)
    .setExpirationTime(TOKEN_LIFETIME)
    .sign(key);
  return `vapid t=${token}, k=${publicKey}`;
}
