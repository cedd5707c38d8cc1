/** Functions with which a receiver verifies a delivery. Each one is self-contained and needs no library. */
export const webhookCode = {
  node: `import { createHmac, timingSafeEqual } from "node:crypto";

// body: the raw bytes, before any JSON is parsed
export function isFromFoyer(headers, body, secret) {
  const id = headers["webhook-id"];
  const timestamp = headers["webhook-timestamp"];
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= 300)) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const expected = createHmac("sha256", key)
    .update(\`\${id}.\${timestamp}.\`)
    .update(body)
    .digest();
  return String(headers["webhook-signature"]).split(" ").some((part) => {
    const given = Buffer.from(part.replace("v1,", ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  python: `import base64, hashlib, hmac, time

# body: the raw bytes, before any JSON is parsed
def is_from_foyer(headers, body, secret):
    message_id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    given = headers["webhook-signature"].encode().split(b" ")
    return any(hmac.compare_digest(expected, part) for part in given)
`,
  php: `<?php
// $body: file_get_contents('php://input'), before any JSON is parsed
function is_from_foyer(string $body, string $secret): bool {
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (abs(time() - (int) $timestamp) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $key, true);
    $expected = 'v1,' . base64_encode($digest);
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}
`,
} as const;
