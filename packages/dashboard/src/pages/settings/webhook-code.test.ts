import { execFileSync, spawnSync } from "node:child_process";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { webhookCode } from "./webhook-code.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const body = JSON.stringify({ formData: { name: "Zoë", bike: "Harbour 7" } });

type Case = { headers: Record<string, string>; body: string; secret: string };

/** As the server signs: one signature for each secret while one replaces the other. */
function delivery({ sentAt = new Date(), secrets = [secret] } = {}): Case {
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
  ["a delivery as it came", delivery(), true],
  ["one that two secrets signed", delivery({ secrets: [other, secret] }), true],
  ["one that another secret signed", delivery({ secrets: [other] }), false],
  ["a changed body", { ...delivery(), body: body.replace("7", "8") }, false],
  ["an old one", delivery({ sentAt: old }), false],
  ["one without a signature", { ...delivery(), headers: { ...delivery().headers, "webhook-signature": "" } }, false],
];

describe("the code that checks a signature", () => {
  it.each(cases)("in Node: %s", async (_, input, isGenuine) => {
    const module = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(webhookCode.node)}`);
    expect(module.isFromFoyer(input.headers, Buffer.from(input.body), input.secret)).toBe(isGenuine);
  });

  const python = spawnSync("python3", ["-c", "import sys; assert sys.version_info >= (3, 9)"]).status === 0;
  it.skipIf(!python).each(cases)("in Python: %s", (_, input, isGenuine) => {
    const call = `
import json, sys
case = json.load(sys.stdin)
print(is_from_foyer(case["headers"], case["body"].encode(), case["secret"]))
`;
    const output = execFileSync("python3", ["-c", webhookCode.python + call], { input: JSON.stringify(input) });
    expect(output.toString().trim()).toBe(isGenuine ? "True" : "False");
  });

  const php = spawnSync("php", ["--version"]).status === 0;
  it.skipIf(!php).each(cases)("in PHP: %s", (_, input, isGenuine) => {
    const call = `
$case = json_decode(file_get_contents('php://stdin'), true);
foreach ($case['headers'] as $name => $value) $_SERVER['HTTP_' . strtoupper(strtr($name, '-', '_'))] = $value;
echo is_from_foyer($case['body'], $case['secret']) ? 'yes' : 'no';
`;
    const output = execFileSync("php", ["-r", webhookCode.php.replace("<?php", "") + call], {
      input: JSON.stringify(input),
    });
    expect(output.toString()).toBe(isGenuine ? "yes" : "no");
  });
});
