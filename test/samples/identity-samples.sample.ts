import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { loadPHPRuntime, PHP } from "@php-wasm/universal";
import { loadPyodide } from "pyodide";
import { expect, it } from "vitest";
import { identitySamples } from "../../packages/dashboard/src/pages/agents/identity-samples.ts";
import { decodeUserToken } from "../decode-user-token.ts";

const secret = "fis_secret";
const codeIn = (language: string) => identitySamples("agent_1").find(({ id }) => id === language)?.code ?? "";

/** Runs the code of each language for the same user, and returns the token. */
const run: Record<string, () => Promise<unknown>> = {
  php: async () => {
    const php = new PHP(await loadPHPRuntime(await getPHPLoaderModule()));
    const user = `<?php putenv('FOYER_IDENTITY_SECRET=${secret}'); $user = (object) ['id' => 42, 'email' => 'zoë@example.com'];`;
    const { text } = await php.run({ code: `${user}\n${codeIn("php")}\necho $userToken;` });
    php.exit();
    return text;
  },
  python: async () => {
    const user = `import os, types\nos.environ["FOYER_IDENTITY_SECRET"] = "${secret}"\nuser = types.SimpleNamespace(id=42, email="zo\\u00eb@example.com")`;
    return (await loadPyodide()).runPython(`${user}\n${codeIn("python")}\nuser_token`);
  },
};

it.each(Object.keys(run))(
  "the sample code that signs a user token makes the token that the server expects in %s",
  async (language) => {
    const { iat, exp, ...claims } = decodeUserToken(String(await run[language]?.()), secret);
    expect(claims).toEqual({ sub: "42", aud: "agent_1", email: "zoë@example.com" });
    expect(exp - iat).toBe(3_600);
  },
);
