import type { ProviderFailures } from "@foyer/contract";

type Failure = Pick<ProviderFailures["newest"], "code" | "message" | "providerStatus">;

/** Why a provider failed, in a few words. The message of a failure that has no short name is returned as it is. */
export function describeCause({ code, message, providerStatus: status }: Failure): string {
  if (code === "MODEL_NOT_CONFIGURED") return "no API key";
  if (code === "MODEL_TIMEOUT" || status === 408) return "timeout";
  if (status === null) return "no connection";
  if (status === 429) return "rate limit";
  if (status === 401 || status === 403) return "refused API key";
  return status >= 500 ? `server error (HTTP ${status})` : message;
}
