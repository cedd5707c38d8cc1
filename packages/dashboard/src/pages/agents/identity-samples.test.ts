import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { identifiedEmbedCode, identitySamples } from "./identity-samples.ts";

describe("the code that signs an identity", () => {
  it("computes the hash that the server expects", () => {
    const code = identitySamples.find(({ id }) => id === "node")?.code.replace(/^import .+\n/, "") ?? "";
    const run = new Function("createHmac", "process", "user", `${code}; return userHash;`);
    const hash = run(createHmac, { env: { FOYER_IDENTITY_SECRET: "fis_secret" } }, { id: 42 });
    expect(hash).toBe(createHmac("sha256", "fis_secret").update("42").digest("hex"));
  });

  it("uses the same name for the secret in every language", () => {
    expect(identitySamples.map(({ id }) => id)).toEqual(["node", "php", "python", "ruby"]);
    for (const { code } of identitySamples) expect(code).toMatch(/FOYER_IDENTITY_SECRET/);
  });

  it("is followed by the attributes that the widget reads", () => {
    const line = identifiedEmbedCode("agent_1", "https://chat.example");
    for (const part of ['src="https://chat.example/widget.js"', "data-user-id=", "data-user-email=", "data-user-hash="])
      expect(line).toContain(part);
  });
});
