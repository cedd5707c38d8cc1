import { serverUrl } from "../../data/server-address.ts";

export type Sample = { id: string; name: string; code: string };

/** Code with which a site's server signs the token of its signed-in user. The widget's guide shows the same code. */
export function identitySamples(agentId: string): readonly Sample[] {
  return [
    { id: "node", name: "Node", code: node(agentId) },
    { id: "php", name: "PHP", code: php(agentId) },
    { id: "python", name: "Python", code: python(agentId) },
    { id: "ruby", name: "Ruby", code: ruby(agentId) },
    { id: "go", name: "Go", code: go(agentId) },
  ];
}

const node = (agentId: string) => `import { createHmac } from "node:crypto";

const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const iat = Math.floor(Date.now() / 1000);
const claims = { sub: String(user.id), aud: "${agentId}", iat, exp: iat + 3600, email: user.email };
const signed = \`\${part({ alg: "HS256", typ: "JWT" })}.\${part(claims)}\`;
const hmac = createHmac("sha256", process.env.FOYER_IDENTITY_SECRET).update(signed);
const userToken = \`\${signed}.\${hmac.digest("base64url")}\`;`;

const php = (agentId: string) => `$part = fn ($bytes) => rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=');
$claims = ['sub' => (string) $user->id, 'aud' => '${agentId}',
    'iat' => time(), 'exp' => time() + 3600, 'email' => $user->email];
$signed = $part('{"alg":"HS256","typ":"JWT"}') . '.' . $part(json_encode($claims));
$userToken = $signed . '.' . $part(hash_hmac('sha256', $signed, getenv('FOYER_IDENTITY_SECRET'), true));`;

const python = (agentId: string) => `import base64, hmac, json, os, time

part = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
iat = int(time.time())
claims = {"sub": str(user.id), "aud": "${agentId}", "iat": iat, "exp": iat + 3600, "email": user.email}
signed = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
key = os.environ["FOYER_IDENTITY_SECRET"].encode()
user_token = (signed + b"." + part(hmac.digest(key, signed, "sha256"))).decode()`;

const ruby = (agentId: string) => `require "json"; require "openssl"

part = ->(bytes) { [bytes].pack("m0").tr("+/", "-_").delete("=") }
iat = Time.now.to_i
claims = { sub: user.id.to_s, aud: "${agentId}", iat: iat, exp: iat + 3600, email: user.email }
signed = [{ alg: "HS256", typ: "JWT" }, claims].map { |value| part.(value.to_json) }.join(".")
user_token = signed + "." + part.(OpenSSL::HMAC.digest("SHA256", ENV["FOYER_IDENTITY_SECRET"], signed))`;

const go = (agentId: string) => `// import "github.com/golang-jwt/jwt/v5"
claims := jwt.MapClaims{
	"sub": fmt.Sprint(user.ID), "aud": "${agentId}", "email": user.Email,
	"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
}
token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
userToken, err := token.SignedString([]byte(os.Getenv("FOYER_IDENTITY_SECRET")))`;

/** The script tag with the signed-in user. */
export function identifiedEmbedCode(agentId: string, server: string = serverUrl()): string {
  return `<script src="${server}/widget.js" data-agent-id="${agentId}"
  data-user-token="…" async></script>`;
}
