import { AppError, invalid } from "../../errors.ts";

const invalidLink = "is invalid, expired or already used";

/** Those of better-auth's error codes that the user can do something about. */
const knownErrors: Record<string, () => AppError> = {
  INVALID_EMAIL_OR_PASSWORD: () => new AppError("UNAUTHORIZED", "The email address or password is incorrect."),
  EMAIL_NOT_VERIFIED: () =>
    new AppError("FORBIDDEN", "Verify your email address first. We have sent you an email with a link."),
  INVALID_EMAIL: () => invalid("email", "must be an email address such as you@example.com", "format"),
  INVALID_TOKEN: () => invalid("token", invalidLink),
  TOKEN_EXPIRED: () => invalid("token", invalidLink),
  INVALID_PASSWORD: () => invalid("currentPassword", "does not match your current password"),
  CREDENTIAL_ACCOUNT_NOT_FOUND: () => invalid("currentPassword", "you have no password yet; request a link to set one"),
  HASHING_BUSY: () =>
    new AppError("OVERLOADED", "Too many people are signing in right now. Try again in a moment.", { retryAfter: 5 }),
  PASSWORD_TOO_SHORT: () => invalid("newPassword", "must be at least 12 characters long", "min_length"),
  PASSWORD_TOO_LONG: () => invalid("newPassword", "must be at most 128 characters long", "max_length"),
};

/** Translates a better-auth error into one of ours. */
export function toAppError(status: number, body: unknown): Error {
  const code = typeof body === "object" && body !== null && "code" in body ? String(body.code) : "";
  const error = knownErrors[code]?.();
  if (error) return error;
  if (status >= 500) return new Error(`better-auth responded with ${status} ${code}`);
  if (status === 401) return new AppError("UNAUTHORIZED", "Sign in first.");
  if (status === 403) return new AppError("FORBIDDEN", "You are not allowed to do this.");
  return new AppError("VALIDATION_ERROR", "Sign-in failed because the request is invalid.");
}
