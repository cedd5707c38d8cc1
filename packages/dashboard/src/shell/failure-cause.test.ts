import { expect, it } from "vitest";
import { describeCause } from "./failure-cause.ts";

it.each([
  ["MODEL_UNAVAILABLE", 429, "rate limit"],
  ["MODEL_REFUSED", 401, "refused API key"],
  ["MODEL_REFUSED", 403, "refused API key"],
  ["MODEL_UNAVAILABLE", 503, "server error (HTTP 503)"],
  ["MODEL_UNAVAILABLE", null, "no connection"],
  ["MODEL_UNAVAILABLE", 408, "timeout"],
  ["MODEL_TIMEOUT", null, "timeout"],
  ["MODEL_NOT_CONFIGURED", null, "no API key"],
  ["MODEL_REFUSED", 404, "Unknown model"],
])("names the cause of a %s with the status %s as %j", (code, providerStatus, cause) => {
  expect(describeCause({ code, providerStatus, message: "Unknown model" })).toBe(cause);
});
