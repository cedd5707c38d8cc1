import { AppError, invalid } from "../../errors.ts";

const tooOld = "is wrong, was used, or is too old; ask for a new link";

/** better-auth's codes that a person can do something about. */
const refusals: Record<string, () => AppError> = {
  INVALID_EMAIL_OR_PASSWORD: () => new AppError("UNAUTHORIZED", "The address or the password is wrong."),
  EMAIL_NOT_VERIFIED: () =>
    new AppError("FORBIDDEN", "Confirm your e-mail address first: a mail with a link is on its way to you."),
  INVALID_EMAIL: () => invalid("email", "must be an address such as you@example.com", "format"),
  INVALID_TOKEN: () => invalid("token", tooOld),
  TOKEN_EXPIRED: () => invalid("token", tooOld),
  INVALID_PASSWORD: () => invalid("currentPassword", "is not your password"),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () => invalid("currentPassword", "you have no password yet; ask for a link to set one"),
  HASHING_BUSY: () =>
    new AppError("OVERLOADED", "Too many people are signing in right now. Try again in a moment.", { retryAfter: 5 }),
  PASSWORD_TOO_SHORT: () => invalid("newPassword", "must be at least 12 characters long", "min_length"),
  PASSWORD_TOO_LONG: () => invalid("newPassword", "must be at most 128 characters long", "max_length"),
};

/** What better-auth refused, in our words and with our codes. */
export function explainRefusal(status: number, body: unknown): Error {
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : "";
  const known = refusals[code]?.();
  if (known) return known;
  if (status >= 500) return new Error(`better-auth answered ${status} ${code}`);
  if (status === 401) return new AppError("UNAUTHORIZED", "Sign in first.");
  if (status === 403) return new AppError("FORBIDDEN", "This is not open to you.");
  return new AppError("VALIDATION_ERROR", "Signing in was refused; the request is not complete.");
}
