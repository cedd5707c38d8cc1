import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { loadPHPRuntime, PHP } from "@php-wasm/universal";
import { loadPyodide } from "pyodide";
import { describe, expect, it } from "vitest";
import { identifiedEmbedCode, identitySamples } from "./identity-samples.ts";

const secret = "fis_secret";
const samples = identitySamples("agent_1");
const codeIn = (language: string) => samples.find(({ id }) => id === language)?.code ?? "";

/** The payload of a token, after a check of its header and signature. */
function decodePayload(token: string) {
  const [header = "", payload = "", signature] = token.split(".");
  expect(signature).toBe(createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url"));
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(read(header)).toEqual({ alg: "HS256", typ: "JWT" });
  return read(payload);
}

describe("the code that signs a user token", () => {
  // PHP runs as WebAssembly, and so does Python on a machine without it. A native Python is preferred, because it
  // starts faster.
  const run: Record<string, () => Promise<string>> = {
    node: async () => {
      const code = codeIn("node").replace(/^import .+\n/, "");
      const user = { id: 42, email: "zoë@example.com" };
      const signer = new Function("createHmac", "process", "user", `${code}; return userToken;`);
      return signer(createHmac, { env: { FOYER_IDENTITY_SECRET: secret } }, user);
    },
    php: async () => {
      const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule()));
      const user = `<?php putenv('FOYER_IDENTITY_SECRET=${secret}'); $user = (object) ['id' => 42, 'email' => 'zoë@example.com'];`;
      const { text } = await php.run({ code: `${user}\n${codeIn("php")}\necho $userToken;` });
      php.exit();
      return text;
    },
    python: async () => {
      const user = `import os, types\nos.environ["FOYER_IDENTITY_SECRET"] = "${secret}"\nuser = types.SimpleNamespace(id=42, email="zo\\u00eb@example.com")`;
      const code = `${user}\n${codeIn("python")}\n`;
      const { status, stdout } = spawnSync("python3", ["-c", `${code}print(user_token)`], { encoding: "utf8" });
      return status === 0 ? stdout.trim() : (await loadPyodide()).runPython(`${code}user_token`);
    },
  };

  it.each(Object.keys(run))("makes the token that the server expects in %s", async (language) => {
    const { iat, exp, ...claims } = decodePayload((await run[language]?.()) ?? "");
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
