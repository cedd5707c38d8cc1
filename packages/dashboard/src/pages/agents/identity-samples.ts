export type Sample = { id: string; name: string; code: string };

const secret = "FOYER_IDENTITY_SECRET";

/** Code for a site's server that computes `userHash`: the hexadecimal HMAC-SHA256 of the user's id. */
export const identitySamples: readonly Sample[] = [
  {
    id: "node",
    name: "Node",
    code: `import { createHmac } from "node:crypto";

const userHash = createHmac("sha256", process.env.${secret})
  .update(String(user.id))
  .digest("hex");`,
  },
  {
    id: "php",
    name: "PHP",
    code: `$userHash = hash_hmac('sha256', (string) $user->id, getenv('${secret}'));`,
  },
  {
    id: "python",
    name: "Python",
    code: `import hashlib, hmac, os

user_hash = hmac.new(
    os.environ["${secret}"].encode(), str(user.id).encode(), hashlib.sha256
).hexdigest()`,
  },
  {
    id: "ruby",
    name: "Ruby",
    code: `require "openssl"

user_hash = OpenSSL::HMAC.hexdigest("SHA256", ENV["${secret}"], user.id.to_s)`,
  },
];

/** The script tag with the signed-in user. */
export function identifiedEmbedCode(agentId: string, origin: string = location.origin): string {
  return `<script src="${origin}/widget.js" data-agent-id="${agentId}"
  data-user-id="42" data-user-email="ada@example.com"
  data-user-hash="…" async></script>`;
}
