import { createHmac } from "node:crypto";
import { type Encryption, equalsInConstantTime } from "../../encryption.ts";

/** Over HTTPS, the `__Host-` prefix prevents other hosts of the same domain from setting this cookie. */
export function sessionCookieName(isSecure: boolean): string {
  return isSecure ? "__Host-foyer_session" : "foyer_session";
}
export const SESSION_SECONDS = 7 * 86_400;

/** Returns the secret that better-auth uses to sign its cookies and tokens. */
export function signInSecret(encryption: Encryption): string {
  return encryption.sign("sign-in", "better-auth");
}

/** Reads the session token from a `Cookie` header. @returns null without a cookie that carries our signature */
export function readSessionCookie(secret: string, header: string | undefined, isSecure: boolean): string | null {
  const value = readCookie(header, sessionCookieName(isSecure));
  if (!value) return null;
  const dot = value.lastIndexOf(".");
  const token = value.slice(0, dot);
  return dot > 0 && equalsInConstantTime(value.slice(dot + 1), sign(secret, token)) ? token : null;
}

/** The `Set-Cookie` header of a session, in better-auth's format. A null token deletes the cookie. */
export function writeSessionCookie(secret: string, token: string | null, isSecure: boolean): string {
  const value = token === null ? "" : encodeURIComponent(`${token}.${sign(secret, token)}`);
  const age = token === null ? 0 : SESSION_SECONDS;
  return `${sessionCookieName(isSecure)}=${value}; Max-Age=${age}; Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
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
