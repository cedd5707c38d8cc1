import { expect, it } from "vitest";
import { signatureCases } from "../../../../../../test/webhook-signature-cases.ts";
import { webhookCode } from "./webhook-code.ts";

it.each(signatureCases)("the sample code that verifies a signature in Node: %s", async (_, input, isGenuine) => {
  const module = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(webhookCode.node)}`);
  expect(module.isFromFoyer(input.headers, Buffer.from(input.body), input.secret)).toBe(isGenuine);
});
