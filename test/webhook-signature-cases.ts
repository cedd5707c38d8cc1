import { Webhook } from "standardwebhooks";

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
/** Deliveries that sample code has to accept or refuse. */
export const signatureCases: Array<[name: string, input: Case, isGenuine: boolean]> = [
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
