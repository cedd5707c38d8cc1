import { createHmac } from "node:crypto";
import type { Config } from "../../config.ts";
import { type Encryption, equalsInConstantTime } from "../../encryption.ts";

/** Which requests of a browser carry a server's cookies. */
export type CookieScope = { name: string; path: string; isSecure: boolean };

/**
 * Below a path, browsers send the cookies only to the pages of this server and not to the rest of the site. Over HTTPS,
 * the `__Host-` prefix prevents other hosts of the same domain from setting the session's cookie. It requires the path
 * `/`, so below a path the prefix is `__Secure-`.
 */
export function sessionCookieScope({ baseUrl, basePath }: Pick<Config, "baseUrl" | "basePath">): CookieScope {
  const isSecure = baseUrl.startsWith("https:");
  const prefix = basePath === "" ? "__Host-" : "__Secure-";
  return { name: `${isSecure ? prefix : ""}foyer_session`, path: basePath || "/", isSecure };
}

export const SESSION_SECONDS = 7 * 86_400;

/** Returns the secret that better-auth uses to sign its cookies and tokens. */
export function signInSecret(encryption: Encryption): string {
  return encryption.sign("sign-in", "better-auth");
}

/** Reads the session token from a `Cookie` header. @returns null without a cookie that carries our signature */
export function readSessionCookie(secret: string, header: string | undefined, { name }: CookieScope): string | null {
  const value = readCookie(header, name);
  if (!value) return null;
  const dot = value.lastIndexOf(".");
  const token = value.slice(0, dot);
  return dot > 0 && equalsInConstantTime(value.slice(dot + 1), sign(secret, token)) ? token : null;
}

/** The `Set-Cookie` header of a session, in better-auth's format. A null token deletes the cookie. */
export function writeSessionCookie(secret: string, token: string | null, scope: CookieScope): string {
  const value = token === null ? "" : encodeURIComponent(`${token}.${sign(secret, token)}`);
  const age = token === null ? 0 : SESSION_SECONDS;
  const { name, path, isSecure } = scope;
  return `${name}=${value}; Max-Age=${age}; Path=${path}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** Computes better-auth's signature: the base64 HMAC-SHA256 of the value. */
function sign(secret: string, token: string) {
  return createHmac("sha256", secret).update(token).digest("base64");
}

function readCookie(header: string | undefined, name: string): string | null {
  const pair = header?.split(";").find((part) => part.trimStart().startsWith(`${name}=`));
  try {
    return pair === undefined ? null : decodeURIComponent(pair.slice(pair.indexOf("=") + 1).trim());
  } catch {
    return null;
  }
}
