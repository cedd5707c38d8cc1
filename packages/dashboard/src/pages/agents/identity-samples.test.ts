import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { decodeUserToken } from "../../../../../test/decode-user-token.ts";
import { identifiedEmbedCode, identitySamples } from "./identity-samples.ts";

const secret = "fis_secret";
const samples = identitySamples("agent_1");
const codeIn = (language: string) => samples.find(({ id }) => id === language)?.code ?? "";

describe("the code that signs a user token", () => {
  it("makes the token that the server expects in Node", () => {
    const code = codeIn("node").replace(/^import .+\n/, "");
    const user = { id: 42, email: "zoë@example.com" };
    const signer = new Function("createHmac", "process", "user", `${code}; return userToken;`);
    const token = signer(createHmac, { env: { FOYER_IDENTITY_SECRET: secret } }, user);
    const { iat, exp, ...claims } = decodeUserToken(token, secret);
    expect(claims).toEqual({ sub: "42", aud: "agent_1", email: "zoë@example.com" });
    expect(exp - iat).toBe(3_600);
  });

  it("is shorter than 10 lines, reads the secret from the same variable, and is the code of the guide", () => {
    expect(samples.map(({ id }) => id)).toEqual(["node", "php", "python", "ruby", "go"]);
    const guide = readFileSync(new URL("../../../../../docs/guides/widget.md", import.meta.url), "utf8");
    for (const { code } of identitySamples("agent_…")) {
      expect(code).toMatch(/FOYER_IDENTITY_SECRET/);
      expect(code.split("\n").length).toBeLessThan(10);
      expect(guide).toContain(code);
    }
  });

  it("is followed by the attributes that the widget reads", () => {
    const line = identifiedEmbedCode("agent_1", "https://chat.example");
    for (const part of ['src="https://chat.example/widget.js"', "data-agent-id=", "data-user-token="])
      expect(line).toContain(part);
  });
});
