import type { Db } from "../packages/server/src/db/open.ts";
import { insertConversation } from "./conversation-seed.ts";

type Owner = { organizationId: string; agentId: string };

/** A morning at the bicycle shop: one conversation of each kind, by name. */
export async function insertHarbourConversations(db: Db, owner: Owner, formToolId: string) {
  const now = Date.now();
  const hours = (count: number) => now - count * 3_600_000;
  const add = (fields: Parameters<typeof insertConversation>[2], sayings: Parameters<typeof insertConversation>[3]) =>
    insertConversation(db, owner, fields, sayings);
  const simple = [
    ["Do you repair e-bikes of other makes?", "Grace Adeyemi", "grace@example.com", 7],
    ["What does a service cost?", null, null, 8],
    ["Is the Harbour 3 in stock in blue?", null, "j.okafor@example.com", 26],
    ["How long is the guarantee on frames?", "Tomás Rivera", "tomas@example.com", 30],
    ["Can I pay in instalments?", null, null, 50],
    ["Which lock fits the insurance?", null, null, 74],
    ["Opening hours on public holidays", "Yuki Tanaka", "yuki@example.com", 98],
  ] as const;
  for (const [question, userName, userEmail, ago] of simple) {
    await add({ createdAt: hours(ago), userName, userEmail, userId: userEmail && `customer-${ago}` }, [
      { content: question },
      { content: "Yes. Bring it in on any weekday before noon, and it is ready the next day." },
    ]);
  }
  const ada = { userId: "customer-1042", userName: "Ada Lindqvist", userEmail: "ada@example.com" };
  const form = {
    toolId: formToolId,
    toolName: "test_ride",
    executionMode: "webhook",
    clientHandler: null,
    formSchema: { fields: [{ name: "email", label: "E-mail", type: "email" }] },
  };
  const ride = await add({ ...ada, createdAt: hours(2) }, [
    { content: "I am looking for a cargo bike for two children." },
    {
      content:
        "Two of ours carry two children.\n\nThe Tender 2 is the lighter one: https://harbour.example/bikes/tender-2.",
      feedback: "up",
      pieces: [
        { type: "text", text: "Two of ours carry two children." },
        {
          type: "tool",
          id: "call_1",
          name: "bike_stock",
          toolId: null,
          executionType: "http",
          input: { category: "cargo", seats: 2 },
          result: {
            result: { bikes: [{ name: "Tender 2", price: "€4,290", stock: 3 }] },
            isError: false,
            display: { type: "product_carousel" },
            form: null,
          },
        },
        { type: "text", text: "\n\nThe Tender 2 is the lighter one: https://harbour.example/bikes/tender-2." },
      ],
    },
    { content: "<img src=x onerror=alert(1)> Could I ride it\non Saturday?" },
    {
      content: "Of course. Tell me when, and how to reach you:",
      pieces: [
        { type: "text", text: "Of course. Tell me when, and how to reach you:" },
        {
          type: "tool",
          id: "call_2",
          name: "test_ride",
          toolId: formToolId,
          executionType: "form",
          input: {},
          result: { result: "shown", isError: false, display: { type: "form" }, form },
        },
      ],
    },
  ]);
  const failed = await add({ createdAt: hours(5) }, [
    { content: "Where is my order 5521?" },
    {
      content: "I could not look that up",
      feedback: "down",
      stopReason: "error",
      pieces: [
        {
          type: "tool",
          id: "call_3",
          name: "order_status",
          toolId: null,
          executionType: "http",
          input: { order: 5521 },
          result: { result: "The shop's server answered 503.", isError: true, display: null, form: null },
        },
        { type: "text", text: "I could not look that up" },
      ],
    },
    { content: "Are you there?" },
    { content: "Yes, I", stopReason: "aborted" },
  ]);
  return { ride, failed };
}
