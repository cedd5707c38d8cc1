import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

describe("the public data of an agent", () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  beforeAll(async () => {
    server = await startServer();
    owner = await server.createAccount();
  });
  afterAll(() => server.stop());

  const create = async (body: object): Promise<string> => (await owner.call("POST", "/agents", body)).body.data.id;
  const read = (id: string, headers = {}) => server.app.inject({ method: "GET", url: `/agents/${id}/widget`, headers });

  it("contains its appearance and greeting, and nothing else", async () => {
    const widget = {
      title: "Shop",
      greeting: "Hello",
      suggestions: ["Open?"],
      accentColor: "#0f766e",
      position: "left",
    };
    const id = await create({
      name: "Harbour",
      model: "openai/secret-model",
      systemPrompt: "The secret discount is 12 %.",
      widget,
      allowedImageHosts: ["images.shop.example"],
      requireIdentity: true,
      monthlyTokenBudget: 77_777,
    });
    const { statusCode, headers, body } = await read(id);
    expect([statusCode, headers["access-control-allow-origin"]]).toEqual([200, "*"]);
    expect(JSON.parse(body)).toEqual({
      data: {
        id,
        name: "Harbour",
        widget,
        images: { logo: null, avatar: null, launcher: null },
        allowedImageHosts: ["images.shop.example"],
        pageQuery: [],
        requireIdentity: true,
        attachments: { images: false, files: false, handoffOnly: false },
        handoff: null,
      },
      error: null,
    });
  });

  it("is sent again only after a change", async () => {
    const id = await create({ name: "Harbour" });
    const { etag } = (await read(id)).headers;
    const again = await read(id, { "if-none-match": etag });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
    await owner.call("PATCH", `/agents/${id}`, { widget: { title: "New" } });
    const changed = await read(id, { "if-none-match": etag });
    expect([changed.statusCode, changed.json().data.widget.title]).toEqual([200, "New"]);
  });

  it("is limited to allowed origins, and gets 404 for an unknown agent", async () => {
    const id = await create({ name: "Harbour", allowedOrigins: ["https://shop.example"] });
    const statuses = [];
    for (const origin of ["https://shop.example", "https://evil.example"]) {
      statuses.push((await read(id, { origin })).statusCode);
    }
    expect(statuses).toEqual([200, 403]);
    expect((await read("agent_00000000000000000000000000")).statusCode).toBe(404);
    expect((await read("nothing")).statusCode).toBe(404);
  });
});
