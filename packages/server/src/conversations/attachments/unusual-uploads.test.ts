import { Readable } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { createDocx, createPdf, paragraph } from "../../../../../test/sample-files.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { tinyPictures } from "../../../../../test/tiny-pictures.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

const { "image/png": png, "image/jpeg": jpeg, "image/gif": gif } = tinyPictures;
const FOUR_MB = 4 * 1024 * 1024;

/** A JPEG segment: its marker, length and data. */
const segment = (marker: number, data: number[]) => Buffer.from([0xff, marker, 0, data.length + 2, ...data]);

/** A JPEG of 20 × 10 pixels with this kind of frame and this many color components. */
function createJpeg(frame: number, components: number): Buffer {
  const each = (make: (id: number) => number[]) => Array.from({ length: components }, (_, at) => make(at + 1)).flat();
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, [0, ...Array.from({ length: 64 }, () => 1)]),
    segment(frame, [8, 0, 10, 0, 20, components, ...each((id) => [id, 0x11, 0])]),
    segment(0xda, [components, ...each((id) => [id, 0]), 0, 63, 0]),
    Buffer.from([1, 2, 3, 0xff, 0, 4, 0xff, 0xd9]),
  ]);
}

/** A GIF of one pixel with two frames. */
const animatedGif = Buffer.concat([
  gif.subarray(0, gif.indexOf(0x21)),
  gif.subarray(gif.indexOf(0x21), -1),
  gif.subarray(gif.indexOf(0x21)),
]);

/** Says that a PDF can be opened only with a password. */
const encryption = `<< /Filter /Standard /V 1 /R 2 /P -4 /O <${"11".repeat(32)}> /U <${"22".repeat(32)}> >>`;

const form = (...parts: Array<[disposition: string, content: Buffer]>) =>
  Buffer.concat([
    ...parts.flatMap(([disposition, content]) => [
      Buffer.from(`--limit\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      content,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("--limit--\r\n"),
  ]);
const formHeaders = { "content-type": "multipart/form-data; boundary=limit" };

describe("unusual uploads", () => {
  let upstream: Upstream;
  let server: TestServer;
  let agentId: string;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;

  beforeAll(async () => {
    upstream = await startUpstream(sayWords("A ", "bike."));
    server = await startServer({
      listen: true,
      env: {
        OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
        FOYER_DEFAULT_MODEL: "openai-compatible/test",
        FOYER_LIMIT_ATTACHMENTS_PER_VISITOR: "0",
      },
    });
    owner = await server.createAccount();
    agentId = await createAgent(owner, { attachments: { images: true, files: true } });
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  const send = async (payload: Buffer | Readable, headers: Record<string, string> = {}, query = `sessionId=s1`) => {
    const response = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?agentId=${agentId}&${query}`,
      headers: { "content-type": "application/octet-stream", ...headers },
      payload,
    });
    return { status: response.statusCode, body: response.json() };
  };
  const upload = async (payload: Buffer, headers: Record<string, string> = {}) => {
    const { status, body } = await send(payload, headers);
    expect(status, JSON.stringify(body)).toBe(201);
    return body.data;
  };
  const countStored = async () => {
    const { db } = server.deps;
    const tables = ["attachments", "documentFiles", "documentFileParts"] as const;
    const counts = tables.map((table) => db.selectFrom(table).select((x) => x.fn.countAll<number>().as("n")));
    return Promise.all(counts.map((query) => query.executeTakeFirstOrThrow().then(({ n }) => Number(n))));
  };
  const get = (url: string, headers: Record<string, string> = {}) =>
    server.app.inject({ method: "GET", url, headers: { ...owner.headers, ...headers } });
  const sendMessage = (payload: object) =>
    server.app.inject({
      method: "POST",
      url: "/chat",
      payload: { agentId, sessionId: "s1", messages: [{ role: "user", content: "What is it?" }], ...payload },
    });
  const start = async (attachments: string[]) => {
    const stream = await openChat(server.url, {
      agentId,
      sessionId: "s1",
      messages: [{ role: "user", content: "" }],
      attachments,
    });
    await stream.ended;
    const [first] = stream.events;
    if (first?.type !== "message_start") throw new Error(`no start: ${JSON.stringify(first)}`);
    return first.conversationId;
  };

  it.each([
    ["a progressive JPEG", createJpeg(0xc2, 3), "image/jpeg", 20, 10],
    ["a CMYK JPEG", createJpeg(0xc0, 4), "image/jpeg", 20, 10],
    ["a gray JPEG", createJpeg(0xc0, 1), "image/jpeg", 20, 10],
    ["an animated GIF", animatedGif, "image/gif", 1, 1],
    ["an older GIF", Buffer.concat([Buffer.from("GIF87a"), gif.subarray(6)]), "image/gif", 1, 1],
  ])("%s is a picture", async (_, bytes, type, width, height) => {
    const { id, ...picture } = await upload(bytes);
    expect(picture).toMatchObject({ type, width, height });
    const conversationId = await start([id]);
    const { rawPayload } = await get(`/conversations/${conversationId}/attachments/${id}`);
    expect(rawPayload.equals(bytes)).toBe(true);
  });

  it.each([
    ["a name of another type", png, { "x-filename": "bike.pdf" }, "image/png"],
    ["a media type of another type", png, { "content-type": "text/html" }, "image/png"],
    ["a media type that JSON has", png, { "content-type": "application/json" }, "image/png"],
    ["no extension", createPdf([["Hello"]]), { "x-filename": "manual" }, "application/pdf"],
  ])("the content decides about a file with %s", async (_, bytes, headers, type) => {
    expect((await upload(bytes, headers)).type).toBe(type);
  });

  it.each([
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffName;Preis\nRad Größe M;499 €\n")],
    ["Windows-1252", Buffer.from("Name;Preis\nRad Gr\xf6\xdfe M;499 \x80\n", "latin1")],
    ["UTF-16", Buffer.from("\ufeffName;Preis\nRad Größe M;499 €\n", "utf16le")],
  ])("a CSV file in %s is read", async (_, bytes) => {
    const { id, type } = await upload(bytes, { "x-filename": "bikes.csv" });
    expect(type).toBe("text/csv");
    await start([id]);
    expect(upstream.exchanges.at(-1)?.body).toContain("Größe M");
  });

  it.each([
    ["a PNG with an HTML page behind it", png, Buffer.concat([png, Buffer.from("<script>alert(1)</script>")])],
    ["a JPEG with a ZIP file behind it", jpeg, Buffer.concat([jpeg, Buffer.from("PK\x03\x04")])],
  ])("of %s, only the picture is stored", async (_, picture, bytes) => {
    expect((await upload(bytes)).size).toBe(picture.length);
  });

  it.each([
    ["a picture without a size", Buffer.concat([png.subarray(0, 16), Buffer.alloc(8), png.subarray(24)])],
    ["a JPEG that contains a PDF", Buffer.concat([jpeg.subarray(0, 2), segment(0xfe, [...Buffer.from("%PDF-1.7")])])],
    ["a script that begins like a GIF", Buffer.from("GIF89a=/*comment*/1;alert(1)")],
    ["a BMP", Buffer.from("BM\x46\0\0\0\0\0\0\0\x36\0\0\0", "latin1")],
    ["a TIFF", Buffer.from("II*\0\x08\0\0\0", "latin1")],
    ["an AVIF", Buffer.from("\0\0\0\x1cftypavif\0\0\0\0", "latin1")],
    [
      "an SVG behind a comment",
      Buffer.from("<!-- bike --><svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"),
    ],
    ["an SVG with a byte order mark", Buffer.from("\ufeff<svg xmlns='http://www.w3.org/2000/svg'/>")],
    ["an HTML page behind a comment", Buffer.from("<!-- bike --><html><script>alert(1)</script></html>")],
    ["an SVG in UTF-16", Buffer.from("\ufeff<svg xmlns='http://www.w3.org/2000/svg'/>", "utf16le")],
    ["an old Office file", Buffer.from("d0cf11e0a1b11ae10000", "hex")],
    ["a compressed file", Buffer.from("1f8b0800000000000003", "hex")],
    ["a DOCX with a macro", createDocx(paragraph("Hello"), { "word/vbaProject.bin": "macro" })],
    ["a PDF with a password", createPdf([["Hello"]], { 6: encryption }, "/Encrypt 6 0 R /ID [<00> <00>]")],
  ])("%s is refused, and nothing is stored", async (_, bytes) => {
    const before = await countStored();
    const { status, body } = await send(bytes, { "x-filename": "bike.docx" });
    expect([status, body.error?.code]).toEqual([400, "UNSUPPORTED_ATTACHMENT"]);
    expect(await countStored()).toEqual(before);
  });

  it.each([
    ["..%2F..%2Fetc%2Fpasswd.png", "passwd.png"],
    ["C:%5Cphotos%5Cbike.png", "bike.png"],
    ["%2Fbike.png%2F", "file.png"],
    ["..", "file.png"],
    ["%20%E2%80%8B%20", "file.png"],
    ["b%00i%0D%0Ake.png", "bike.png"],
    ["%E2%80%AEgnp.exe", "gnp.exe.png"],
    ["photo.jpg.exe", "photo.jpg.exe.png"],
    ["photo.PNG", "photo.PNG"],
    ["photo.html", "photo.html.png"],
    ["photo.exe.", "photo.exe.png"],
    ["invoice.pdf", "invoice.pdf.png"],
    ["%D7%90%D7%95%D7%A4%D7%A0%D7%99%D7%99%D7%9D.png", "אופניים.png"],
    ["%F0%9F%9A%B2.png", "🚲.png"],
    ["100%25.png", "100%.png"],
    ["100%.png", "100%.png"],
    ["%E0%A4%A.png", "%E0%A4%A.png"],
    [`${"a".repeat(300)}.png`, `${"a".repeat(196)}.png`],
    [`${"%F0%9F%9A%B2".repeat(300)}.png`, `${"🚲".repeat(196)}.png`],
  ])("the name %s is %s", async (header, name) => {
    expect((await upload(png, { "x-filename": header })).name).toBe(name);
  });

  it("a file that is sent without a name is named after its type", async () => {
    expect((await upload(png)).name).toBe("file.png");
  });

  it.each([
    ['name="file"; filename="a \\"bike\\".png"', 'a "bike".png'],
    ['name="file"; filename="a %22bike%22.png"', 'a "bike".png'],
    ["name=file; filename=bike.png", "bike.png"],
    ['filename="Rad.png"; filename*=UTF-8\'\'R%C3%A4der.png; name="file"', "Räder.png"],
    ['name="file"; filename="Räder.png"', "Räder.png"],
    ['name="file"', "file.png"],
  ])("the name in a form with %s is %s", async (disposition, name) => {
    expect((await upload(form([disposition, png]), formHeaders)).name).toBe(name);
  });

  it.each([
    ["two files", form(['name="file"; filename="a.png"', png], ['name="file"; filename="b.png"', png]), formHeaders],
    ["another field", form(['name="file"; filename="a.png"', png], ['name="agentId"', Buffer.from("x")]), formHeaders],
    ["a part of another name", form(['name="picture"; filename="a.png"', png]), formHeaders],
    ["no part", Buffer.from("--limit--\r\n"), formHeaders],
    ["no boundary", form(['name="file"', png]), { "content-type": "multipart/form-data" }],
    ["no end", form(['name="file"', png]).subarray(0, -14), formHeaders],
  ])("a form with %s is refused, and nothing is stored", async (_, body, headers) => {
    const before = await countStored();
    const answer = await send(body, headers);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, "file"]);
    expect(await countStored()).toEqual(before);
  });

  it("a file of more than 10 MB is refused when its length is not announced", async () => {
    const parts = Readable.from(Array.from({ length: 11 }, () => Buffer.alloc(1024 * 1024, "a")));
    const { status, body } = await send(parts);
    expect([status, body.error.code]).toEqual([400, "FILE_TOO_LARGE"]);
  });

  it("a form is measured by its file", async () => {
    const file = Buffer.alloc(10 * 1024 * 1024 + 1, "a");
    const { status, body } = await send(form(['name="file"; filename="a.txt"', file]), formHeaders);
    expect([status, body.error.code]).toEqual([400, "FILE_TOO_LARGE"]);
  });

  it.each([
    ["an empty session", "sessionId="],
    ["a session that is too long", `sessionId=${"s".repeat(10_000)}`],
  ])("%s is refused", async (_, query) => {
    const { status, body } = await send(png, {}, query);
    expect([status, body.error.details[0].path]).toEqual([400, "sessionId"]);
  });

  it("an agent that does not exist is not found", async () => {
    const response = await server.app.inject({
      method: "POST",
      url: "/chat/attachments?agentId=agent_01k0000000000000000000000&sessionId=s1",
      headers: { "content-type": "image/png" },
      payload: png,
    });
    expect(response.statusCode).toBe(404);
  });

  it.each([
    ["a text", "att_1"],
    ["a number", [1]],
    ["an object", [{ id: "att_1" }]],
    ["an empty id", [""]],
  ])("%s as attachments is refused", async (_, attachments) => {
    const response = await sendMessage({ attachments });
    expect([response.statusCode, response.json().error.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(response.json().error.details[0].path).toMatch(/^attachments/);
  });

  it("the same attachment twice in a message is refused, and stays unused", async () => {
    const { id } = await upload(png);
    expect((await sendMessage({ attachments: [id, id] })).statusCode).toBe(400);
    expect(await start([id])).toMatch(/^conv_/);
  });

  it("of two messages that attach the same upload at the same moment, one has it and the other is not stored", async () => {
    const { id } = await upload(png);
    const before = await server.deps.db.selectFrom("conversations").select("id").execute();
    const answers = await Promise.all([sendMessage({ attachments: [id] }), sendMessage({ attachments: [id] })]);
    const statuses = answers.map(({ statusCode, body }) => (body.includes('"NOT_FOUND"') ? 404 : statusCode));
    expect(statuses.toSorted()).toEqual([200, 404]);
    const after = await server.deps.db.selectFrom("conversations").select("id").execute();
    expect(after.length - before.length).toBe(1);
  });

  it("a HEAD request has the headers of the download and no content", async () => {
    const { id, size } = await upload(png);
    const url = `/conversations/${await start([id])}/attachments/${id}`;
    const response = await server.app.inject({ method: "HEAD", url, headers: owner.headers });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "content-length": String(size),
      "content-type": "image/png",
      "content-disposition": expect.stringContaining("attachment"),
    });
    expect(response.rawPayload).toHaveLength(0);
  });

  it("a request for a range gets the whole file", async () => {
    const { id } = await upload(png);
    const url = `/conversations/${await start([id])}/attachments/${id}`;
    const response = await get(url, { range: "bytes=0-9" });
    expect([response.statusCode, response.rawPayload.length]).toEqual([200, png.length]);
  });

  it("a file is never shown in a page", async () => {
    const { id } = await upload(createPdf([["Hello"]]), { "x-filename": "manual.pdf" });
    const url = `/conversations/${await start([id])}/attachments/${id}?inline=1`;
    expect((await get(url)).headers["content-disposition"]).toBe("attachment; filename*=UTF-8''manual.pdf");
  });

  it.each(["inline=1", "expires=1&signature=x", "expires=soon&signature=x", "expires=99999999999&signature="])(
    "a link with %s opens nothing",
    async (query) => {
      const { id } = await upload(png);
      await start([id]);
      const response = await server.app.inject({ method: "GET", url: `/attachments/${id}?${query}` });
      expect([400, 401]).toContain(response.statusCode);
    },
  );

  it("a file of 4 MB is stored in parts and read as it was sent", async () => {
    const bytes = Buffer.alloc(FOUR_MB, "Harbour Bikes\n");
    const { id, size } = await upload(bytes, { "x-filename": "log.txt" });
    expect(size).toBe(FOUR_MB);
    const { rawPayload } = await get(`/conversations/${await start([id])}/attachments/${id}`);
    expect(rawPayload.equals(bytes)).toBe(true);
  });
});
