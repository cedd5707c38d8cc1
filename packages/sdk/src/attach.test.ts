import { describe, expect, it, onTestFinished } from "vitest";
import { createAgent } from "../../../test/factories.ts";
import { createPdf } from "../../../test/sample-files.ts";
import { startServer } from "../../../test/server.ts";
import { tinyPictures } from "../../../test/tiny-pictures.ts";
import { createClient } from "./client.ts";

const png = tinyPictures["image/png"];

async function startSite() {
  const server = await startServer({ listen: true });
  onTestFinished(() => server.stop());
  const owner = await server.createAccount();
  const agentId = await createAgent(owner, { attachments: { images: true, files: true } });
  return { server, owner, agentId };
}

describe("attach", () => {
  it("uploads a file for a session, and names it in every language", async () => {
    const { server, agentId } = await startSite();
    const foyer = createClient({ baseUrl: server.url });
    const file = new File([new Uint8Array(png)], "Stadtrad – Zürich 🚲.png", { type: "image/png" });
    const attachment = await foyer.attach(file, { agentId, sessionId: "s1" });
    expect(attachment).toEqual({
      id: expect.stringMatching(/^att_/),
      name: "Stadtrad – Zürich 🚲.png",
      type: "image/png",
      size: png.length,
      width: 1,
      height: 1,
      keptSeconds: 3_600,
    });
  });

  it("uploads for a conversation with its token, and the chat then attaches it", async () => {
    const { server, owner, agentId } = await startSite();
    const foyer = createClient({ baseUrl: server.url });
    const messages = [{ role: "user" as const, content: "Hello" }];
    let conversation = { id: "", token: "" };
    for await (const event of foyer.chat({ agentId, sessionId: "s1", messages })) {
      if (event.type !== "message_start") continue;
      conversation = { id: event.conversationId, token: event.conversationToken ?? "" };
    }
    const manual = new Blob([new Uint8Array(createPdf([["City One"]]))]);
    const { id } = await foyer.attach(manual, { agentId, conversation, name: "manual.pdf" });
    const request = { agentId, conversationId: conversation.id, messages, attachments: [id] };
    for await (const _ of foyer.chat(request, { token: conversation.token })) {
      // The stream is read to its end.
    }
    const { body } = await owner.call("GET", `/conversations/${conversation.id}`);
    expect(body.data.messages[2].attachments).toMatchObject([{ id, name: "manual.pdf", type: "application/pdf" }]);
  });

  it("throws what the server refuses, with its code", async () => {
    const { server, agentId } = await startSite();
    const foyer = createClient({ baseUrl: server.url });
    const svg = new Blob(["<svg xmlns='http://www.w3.org/2000/svg'/>"], { type: "image/svg+xml" });
    const upload = foyer.attach(svg, { agentId, sessionId: "s1", name: "logo.svg" });
    await expect(upload).rejects.toMatchObject({ status: 400, code: "UNSUPPORTED_ATTACHMENT" });
  });
});
