import { decodeJwt } from "jose";
import type { Config } from "../../config.ts";

type Oidc = NonNullable<Config["signIn"]["oidc"]>;
type Fetch = typeof globalThis.fetch;
type Log = { warn(details: object, message: string): void };
type Claims = Record<string, unknown>;

/** What this file uses of a discovery document. */
type Discovery = {
  token_endpoint?: string;
  userinfo_endpoint?: string;
  token_endpoint_auth_methods_supported?: string[];
};

type TokenRequest = { code: string; redirectURI: string; codeVerifier?: string | undefined };

/**
 * The settings of an OpenID provider for better-auth. The discovery document decides how the client's secret is sent, and
 * the claims come from the ID token and, where they are missing there, from the userinfo endpoint.
 * @throws when the discovery document cannot be read
 */
export async function createOidcProvider(oidc: Oidc, { fetch, log }: { fetch: Fetch; log: Log }) {
  const { issuer, clientId, clientSecret } = oidc;
  const discoveryUrl = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  const response = await fetch(discoveryUrl);
  if (!response.ok) throw new Error(`Cannot read the OpenID configuration of ${issuer} (HTTP ${response.status})`);
  const discovery: Discovery = await response.json();
  let methods = listMethods(discovery.token_endpoint_auth_methods_supported);
  if (methods.length === 0) throw new Error(`${issuer} accepts no client secret, neither as Basic nor in the body`);

  return {
    providerId: "oidc",
    clientId,
    clientSecret,
    discoveryUrl,
    scopes: ["openid", "email", "profile"],
    pkce: true,
    requireIdTokenVerification: true,
    async getToken({ code, redirectURI, codeVerifier }: TokenRequest) {
      const grant = {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectURI,
        code_verifier: codeVerifier ?? "",
      };
      let problem = "";
      for (const method of methods) {
        const answer = await fetch(discovery.token_endpoint ?? "", requestToken(method, oidc, grant));
        const body = await readObject(answer);
        if (answer.ok && "access_token" in body) {
          methods = [method];
          return { tokenType: "Bearer", accessToken: String(body.access_token), idToken: String(body.id_token ?? "") };
        }
        problem = [`HTTP ${answer.status}`, body.error, body.error_description].filter(Boolean).join(" ");
        // A client is often registered for only one of the ways that the document lists.
        if (body.error !== "invalid_client" && answer.status !== 401) break;
      }
      throw new Error(
        `${issuer} refused the code or the client: ${problem}. Check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET`,
      );
    },
    async getUserInfo({ accessToken, idToken }: { accessToken?: string | undefined; idToken?: string | undefined }) {
      // better-auth has verified the token.
      const token: Claims = decodeJwt(idToken ?? "");
      const isComplete = readAddress(token, oidc) !== undefined && (oidc.trustEmail || "email_verified" in token);
      const info = isComplete ? {} : await readUserInfo(discovery.userinfo_endpoint, accessToken, fetch);
      const own = info.sub === token.sub ? info : {};
      const claims: Claims = { ...own, ...token };
      const email = readAddress(token, oidc) ?? readAddress(own, oidc);
      // Each document vouches only for its own address.
      const emailVerified = [token, own].some(
        (source) =>
          email !== undefined &&
          readAddress(source, oidc)?.toLowerCase() === email.toLowerCase() &&
          isVerified(source, oidc),
      );
      if (email === undefined) {
        const names = Object.keys(claims).join(", ");
        log.warn(
          { issuer },
          `sign-in: there is no address in the claim ${oidc.emailClaim}. Set OIDC_EMAIL_CLAIM to one of ${names}.`,
        );
      } else if (!emailVerified) {
        const reason = "does not say that it has verified the address (email_verified)";
        log.warn({ issuer }, `sign-in: the provider ${reason}. OIDC_TRUST_EMAIL=true trusts all its addresses.`);
      }
      const { sub, name, picture } = claims;
      return { ...claims, id: String(sub), email, emailVerified, name: toText(name), image: toText(picture) };
    },
    mapProfileToUser: ({ emailVerified }: Claims) => ({ emailVerified: emailVerified === true }),
  };
}

type Method = "client_secret_basic" | "client_secret_post";

/** Basic comes first, because it is the standard's default for clients and for documents without a list. */
function listMethods(supported: readonly string[] = ["client_secret_basic"]): Method[] {
  const methods = ["client_secret_basic", "client_secret_post"] as const;
  return methods.filter((method) => supported.includes(method));
}

function requestToken(method: Method, { clientId, clientSecret }: Oidc, grant: Record<string, string>): RequestInit {
  const encode = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
  const isBasic = method === "client_secret_basic";
  const basic = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString("base64");
  const secret = { client_id: clientId, client_secret: clientSecret };
  return {
    method: "POST",
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      ...(isBasic ? { authorization: `Basic ${basic}` } : {}),
    },
    body: new URLSearchParams(isBasic ? grant : { ...grant, ...secret }).toString(),
  };
}

async function readUserInfo(url: string | undefined, accessToken: string | undefined, fetch: Fetch): Promise<Claims> {
  if (url === undefined || accessToken === undefined) return {};
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${accessToken}`, accept: "application/json" },
  });
  return response.ok ? readObject(response) : {};
}

/** Proxies and some providers answer with an empty body or HTML, which counts as no claims. */
async function readObject(response: Response): Promise<Claims> {
  const body: unknown = await response.json().catch((error: unknown) => {
    if (error instanceof SyntaxError) return null;
    throw error;
  });
  return typeof body === "object" && body !== null ? (body as Claims) : {};
}

const toText = (claim: unknown): string | undefined => (typeof claim === "string" ? claim : undefined);

function readAddress(claims: Claims, { emailClaim }: Oidc): string | undefined {
  const address = toText(claims[emailClaim]);
  return address?.includes("@") ? address : undefined;
}

/** `email_verified` says something about the claim `email` only. Cognito and others send it as text. */
function isVerified(claims: Claims, { emailClaim, trustEmail }: Oidc): boolean {
  return trustEmail || (emailClaim === "email" && (claims.email_verified === true || claims.email_verified === "true"));
}
