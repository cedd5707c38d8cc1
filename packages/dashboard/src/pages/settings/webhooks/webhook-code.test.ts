import { getPHPLoaderModule } from "@php-wasm/node-8-4";
import { loadPHPRuntime, PHP } from "@php-wasm/universal";
import { loadPyodide } from "pyodide";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webhookCode } from "./webhook-code.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const body = JSON.stringify({ formData: { name: "Zoë", bike: "Harbour 7" } });

type Case = { headers: Record<string, string>; body: string; secret: string };

/** Signs like the server: during a rotation, with one signature per secret. */
function createDelivery({ sentAt = new Date(), secrets = [secret] } = {}): Case {
  const signatures = secrets.map((key) => new Webhook(key).sign("sub_1", sentAt, body));
  return {
    headers: {
      "webhook-id": "sub_1",
      "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
      "webhook-signature": signatures.join(" "),
    },
    body,
    secret,
  };
}

const old = new Date(Date.now() - 600_000);
const cases: Array<[name: string, input: Case, isGenuine: boolean]> = [
  ["a delivery as it came", createDelivery(), true],
  ["one that two secrets signed", createDelivery({ secrets: [other, secret] }), true],
  ["one that another secret signed", createDelivery({ secrets: [other] }), false],
  ["a changed body", { ...createDelivery(), body: body.replace("7", "8") }, false],
  ["an old one", createDelivery({ sentAt: old }), false],
  [
    "one without a signature",
    { ...createDelivery(), headers: { ...createDelivery().headers, "webhook-signature": "" } },
    false,
  ],
];

describe("the sample code that verifies a signature", () => {
  it.each(cases)("in Node: %s", async (_, input, isGenuine) => {
    const module = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(webhookCode.node)}`);
    expect(module.isFromFoyer(input.headers, Buffer.from(input.body), input.secret)).toBe(isGenuine);
  });

  // Python and PHP run as WebAssembly, so the tests need neither of them on the machine.
  let python: Awaited<ReturnType<typeof loadPyodide>>;
  let php: PHP;
  beforeAll(async () => {
    python = await loadPyodide();
    php = new PHP(await loadPHPRuntime(await getPHPLoaderModule()));
  });
  afterAll(() => php.exit());

  it.each(cases)("in Python: %s", (_, input, isGenuine) => {
    python.globals.set("case_json", JSON.stringify(input));
    const call = `
import json
case = json.loads(case_json)
is_from_foyer(case["headers"], case["body"].encode(), case["secret"])
`;
    expect(python.runPython(webhookCode.python + call)).toBe(isGenuine);
  });

  it.each(cases)("in PHP: %s", async (_, input, isGenuine) => {
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
