import type { ActingVisitor, VerifiedVisitor } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { JWTPayload } from "jose";
import { AppError } from "../../errors.ts";

const VISITOR_TOKEN_S = 60;
const MAX_LIFETIME_S = 24 * 3_600;
/** How far the clock of the site's server may be ahead of ours, in seconds. The expiry has no tolerance. */
const CLOCK_TOLERANCE_S = 60;
/** The maximum length of `userId`, `userEmail` and `userName`, which the token replaces. */
const MAX_TEXT = 320;
const MAX_CLAIMS_BYTES = 8 * 1_024;

let importedJose: Promise<typeof import("jose")> | undefined;
/** Imported on first use, because most visitors have no token. */
const loadJose = () => {
  importedJose ??= import("jose");
  return importedJose;
};

export type UserToken = { visitor: VerifiedVisitor; expiresAt: number };

/**
 * Verifies the token that a site's server issues for its signed-in user: a JWT signed with HS256 and the agent's
 * identity secret. The algorithm is fixed and never taken from the token.
 * @returns the visitor, and the token's expiry time, in milliseconds since 1970
 * @throws 401 INVALID_USER_TOKEN with the reason
 */
export async function readUserToken(
  token: string,
  { agentId, secret, now = Date.now() }: { agentId: string; secret: string; now?: number },
): Promise<UserToken> {
  const payload = await verify(token, { agentId, secret, now });
  const { sub, exp = 0, iat = 0 } = payload;
  const seconds = now / 1_000;
  if (exp <= seconds) throw expiredError(exp);
  if (iat > seconds + CLOCK_TOLERANCE_S)
    throw rejectedError("Its iat is in the future. Check the clock of your server.");
  if (exp - iat > MAX_LIFETIME_S) throw rejectedError("Its exp is more than 24 hours after its iat.");
  const visitor = {
    id: readText("sub", sub) ?? "",
    email: readText("email", payload.email),
    name: readText("name", payload.name),
    claims: readClaims(payload.claims),
  };
  if (visitor.id === "") throw rejectedError("Its sub is empty. It has to be the user's id.");
  return { visitor, expiresAt: exp * 1_000 };
}

/** Signs a token as a site's server would, valid for an hour. */
export async function signUserToken(
  { id, email, name, claims }: ActingVisitor,
  { agentId, secret }: { agentId: string; secret: string },
): Promise<string> {
  const fields = omitUndefined({ email: email || undefined, name: name || undefined, claims: claims ?? undefined });
  return sign({ id, fields, audience: agentId, seconds: 3_600 }, secret);
}

/**
 * Signs the token that identifies the visitor to a tool's receiver. It is valid for 60 seconds and for one host only,
 * so it works neither as a `userToken` nor at another receiver.
 * @param host with its port unless that is the default
 */
export async function signVisitorToken(
  { id, email, name, claims }: VerifiedVisitor,
  { host, secret }: { host: string; secret: string },
): Promise<string> {
  const fields = omitUndefined({ email: email ?? undefined, name: name ?? undefined, claims });
  return sign({ id, fields, audience: host, seconds: VISITOR_TOKEN_S }, secret);
}

async function sign(
  { id, fields, audience, seconds }: { id: string; fields: JWTPayload; audience: string; seconds: number },
  secret: string,
): Promise<string> {
  const { SignJWT } = await loadJose();
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ ...fields, sub: id, aud: audience, iat: now, exp: now + seconds })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(new TextEncoder().encode(secret));
}

async function verify(
  token: string,
  { agentId, secret, now }: { agentId: string; secret: string; now: number },
): Promise<JWTPayload> {
  const { jwtVerify } = await loadJose();
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ["HS256"],
      audience: agentId,
      requiredClaims: ["sub", "iat", "exp"],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    throw await explain(error, token, agentId);
  }
}

/** The messages quote what the caller sent, but nothing about the secret. */
async function explain(error: unknown, token: string, agentId: string): Promise<unknown> {
  const { errors } = await loadJose();
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return rejectedError(`It has the algorithm ${quote((await decodeHeader(token)).alg)}. Sign it with HS256.`);
  }
  if (error instanceof errors.JWTExpired) return expiredError(error.payload.exp ?? 0);
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === "aud") return rejectedError(describeAudienceProblem(error.payload.aud, agentId));
    if (error.reason === "missing") return rejectedError(`It has no ${error.claim}.`);
    return rejectedError(`Its ${error.claim} is not valid: ${error.message}.`);
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    const audience = (await decodePayload(token))?.aud;
    const isForOther = audience !== undefined && ![audience].flat().includes(agentId);
    return rejectedError(
      isForOther
        ? describeAudienceProblem(audience, agentId)
        : "Its signature does not match. Sign it with the identity secret of this agent.",
    );
  }
  if (error instanceof errors.JOSENotSupported)
    return rejectedError("It uses an extension (crit) that is not supported.");
  if (error instanceof errors.JOSEError)
    return rejectedError("It is not a JWT in compact form: header.payload.signature.");
  return error;
}

function describeAudienceProblem(audience: unknown, agentId: string): string {
  if (audience === undefined) return `It has no aud. It has to be the agent's id, ${agentId}.`;
  return `It is for another agent: its aud is ${quote([audience].flat().join(", "))}, not "${agentId}".`;
}

function readText(claim: string, value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw rejectedError(`Its ${claim} is not a string. Convert it to one.`);
  // Counts code points, like the contract.
  if (value.length > MAX_TEXT && Array.from(value).length > MAX_TEXT)
    throw rejectedError(`Its ${claim} is longer than ${MAX_TEXT} characters.`);
  // PostgreSQL stores no NUL, and half a surrogate pair cannot be sent to a tool.
  if (value.includes("\0") || !value.isWellFormed()) throw rejectedError(`Its ${claim} contains invalid characters.`);
  return value;
}

function readClaims(value: unknown): VerifiedVisitor["claims"] {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw rejectedError("Its claims are not an object.");
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) > MAX_CLAIMS_BYTES) throw rejectedError("Its claims are larger than 8 KB of JSON.");
  if (text.includes("\\u0000")) throw rejectedError("Its claims contain a NUL character.");
  return value as VerifiedVisitor["claims"];
}

async function decodeHeader(token: string): Promise<{ alg?: unknown }> {
  const { decodeProtectedHeader } = await loadJose();
  try {
    return decodeProtectedHeader(token);
  } catch {
    return {};
  }
}

async function decodePayload(token: string): Promise<JWTPayload | null> {
  const { decodeJwt } = await loadJose();
  try {
    return decodeJwt(token);
  } catch {
    return null;
  }
}

function quote(value: unknown): string {
  return JSON.stringify(String(value).slice(0, 100).toWellFormed());
}

function expiredError(exp: number): AppError {
  const at = new Date(exp * 1_000);
  return rejectedError(`It expired${Number.isNaN(at.getTime()) ? "" : ` at ${at.toISOString()}`}.`);
}

function rejectedError(reason: string): AppError {
  return new AppError("INVALID_USER_TOKEN", `The user token is not valid. ${reason}`);
}
