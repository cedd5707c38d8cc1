import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { loadPHPRuntime, PHP } from "@php-wasm/universal";
import { loadPyodide } from "pyodide";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webhookCode } from "../../packages/dashboard/src/pages/settings/webhooks/webhook-code.ts";
import { signatureCases } from "../webhook-signature-cases.ts";

describe("the sample code that verifies a signature", () => {
  let python: Awaited<ReturnType<typeof loadPyodide>>;
  let php: PHP;
  beforeAll(async () => {
    python = await loadPyodide();
    php = new PHP(await loadPHPRuntime(await getPHPLoaderModule()));
  });
  afterAll(() => php.exit());

  it.each(signatureCases)("in Python: %s", (_, input, isGenuine) => {
    python.globals.set("case_json", JSON.stringify(input));
    const call = `
import json
case = json.loads(case_json)
is_from_foyer(case["headers"], case["body"].encode(), case["secret"])
`;
    expect(python.runPython(webhookCode.python + call)).toBe(isGenuine);
  });

  it.each(signatureCases)("in PHP: %s", async (_, input, isGenuine) => {
    php.writeFile("/case.json", JSON.stringify(input));
    const call = `
$case = json_decode(file_get_contents('/case.json'), true);
foreach ($case['headers'] as $name => $value) $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
echo is_from_foyer($case['body'], $case['secret']) ? 'yes' : 'no';
`;
    // Each call needs its own function names, because PHP does not allow declaring a function twice.
    const { text } = await php.run({ code: webhookCode.php + call });
    expect(text).toBe(isGenuine ? "yes" : "no");
  });
});
