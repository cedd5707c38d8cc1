import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

export type OidcAccount = {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
  [claim: string]: unknown;
};

/** What distinguishes real providers. */
type Kind = {
  /** how the client is registered; the discovery document lists both ways */
  auth?: "client_secret_basic" | "client_secret_post";
  /** the ways that the document lists */
  listed?: Array<"client_secret_basic" | "client_secret_post">;
  claimsIn?: "token" | "userinfo";
  /** claims that are different at the userinfo endpoint */
  userinfo?: Record<string, unknown>;
  /** the body of the refusal that a proxy sends for a secret in the header */
  refusal?: string;
};

export type OidcTestServer = Awaited<ReturnType<typeof startOidcServer>>;

/**
 * A certified OpenID Connect provider on a port of 127.0.0.1. It signs in the user set by `signInAs` without a prompt
 * and requires PKCE. `requests` lists the authorization requests.
 */
export async function startOidcServer({
  redirectUri,
  port = 0,
  ...kind
}: { redirectUri: string; port?: number } & Kind) {
  const client = { clientId: "foyer", clientSecret: "a secret of the tests, long enough" };
  const http = createServer();
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const accounts = new Map<string, OidcAccount>();
  const requests: URLSearchParams[] = [];
  let current: OidcAccount | undefined;

  const provider = new Provider(issuer, createConfiguration(client, redirectUri, { accounts, ...kind }));
  const handle = provider.callback();
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", issuer);
    if (url.pathname === "/auth") requests.push(url.searchParams);
    if (url.pathname === "/token" && request.headers.authorization !== undefined && kind.refusal !== undefined)
      return response.writeHead(401).end(kind.refusal);
    if (!url.pathname.startsWith("/interaction/")) return handle(request, response);
    await provider.interactionFinished(request, response, { login: { accountId: current?.sub ?? "" } });
  };
  http.on("request", (request, response) => {
    answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
  });

  return {
    issuer,
    requests,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client.clientId, OIDC_CLIENT_SECRET: client.clientSecret },
    signInAs(account: OidcAccount): void {
      accounts.set(account.sub, account);
      current = account;
    },
    /** Follows the URL like a new browser. @returns the URL to which the provider redirects */
    async visit(address: string): Promise<string> {
      const cookies = new Map<string, string>();
      for (let next = address, hops = 0; hops < 10; hops++) {
        const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
        const response = await fetch(next, { redirect: "manual", headers: { cookie } });
        for (const line of response.headers.getSetCookie()) {
          const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split(/=(.*)/s);
          cookies.set(name, value);
        }
        const location = response.headers.get("location");
        if (location === null) throw new Error(`${response.status} ${await response.text()}`);
        if (location.startsWith(redirectUri)) return location;
        next = new URL(location, issuer).href;
      }
      throw new Error("the provider went in circles");
    },
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function createConfiguration(
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
  redirectUri: string,
  {
    accounts,
    auth = "client_secret_post",
    listed = ["client_secret_basic", "client_secret_post"],
    claimsIn = "userinfo",
    userinfo,
  }: Kind & { accounts: ReadonlyMap<string, OidcAccount> },
): Configuration {
  return {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: auth,
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username", "upn"] },
    clientAuthMethods: listed,
    conformIdTokenClaims: claimsIn === "userinfo",
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ["a key of the tests"] },
    jwks: { keys: [createSigningKey()] },
    ttl: { AccessToken: 600, AuthorizationCode: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    async findAccount(_, sub) {
      const account = accounts.get(sub);
      return (
        account && { accountId: sub, claims: async (use) => ({ ...account, ...(use === "userinfo" ? userinfo : {}) }) }
      );
    },
    // Skips the consent page.
    async loadExistingGrant(context) {
      const { provider, client, session } = context.oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  };
}

function createSigningKey() {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return { ...privateKey.export({ format: "jwk" }), kid: "tests", alg: "RS256", use: "sig" };
}
