import type { FormField } from "@foyer/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../../test/form-client.ts";
import { safeFileName, separateFiles } from "./submitted-files.ts";

const image: FormField = { name: "a", label: "A", type: "image" };
const MIB = 1024 * 1024;

function storedMediaType(declared: string, start: string, type: FormField["type"] = "image") {
  const file = { prefix: `data:${declared};base64,`, content: Buffer.from(`${start}${"x".repeat(20)}`, "latin1") };
  const sent = { formData: { a: "" }, files: new Map([["a", file]]), fileNames: {} };
  return separateFiles([{ ...image, type }], sent).kept.get("a")?.mediaType;
}

describe("the name of a submitted file", () => {
  it.each([
    ["plan.pdf", "plan.pdf"],
    ["C:\\Users\\ada\\plan.pdf", "plan.pdf"],
    ["../../etc/passwd", "passwd"],
    ["a\r\nb.txt", "ab.txt"],
    ["invoice\u202efdp.exe", "invoicefdp.exe"],
    ['<b>"x"|?.txt', "_b__x___.txt"],
    ["  two   words .pdf ", "two words .pdf"],
    ["Größe 🚲.png", "Größe 🚲.png"],
    ["..", null],
    ["/", null],
    ["\u0000", null],
  ])("%j is stored as %j", (given, kept) => {
    expect(safeFileName(given)).toBe(kept);
  });

  it("is shortened but keeps its extension when it is longer than file systems accept", () => {
    const kept = safeFileName(`${"ä".repeat(500)}.pdf`) ?? "";
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(255);
    expect(kept).toMatch(/^ä{100,}\.pdf$/);
  });
});

describe("a submitted file", () => {
  it.each([
    ["image/png", "\x89PNG\r\n\x1a\n"],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a"],
    ["image/webp", "RIFF\x01\x02\x03\x04WEBP"],
    ["image/avif", "\0\0\0\x20ftypavif"],
    ["image/heic", "\0\0\0\x20ftypheic"],
    ["image/bmp", "BM"],
    ["image/tiff", "II*\0"],
  ])("is %s if its first bytes match, and otherwise application/octet-stream", (mediaType, start) => {
    expect(storedMediaType(mediaType, start)).toBe(mediaType);
    expect(storedMediaType(mediaType.toUpperCase(), start)).toBe(mediaType);
    expect(storedMediaType(`${mediaType};charset=x`, start)).toBe(mediaType);
    expect(storedMediaType(mediaType, "<script>alert(1)</script>")).toBe("application/octet-stream");
    expect(storedMediaType(mediaType === "image/png" ? "image/gif" : "image/png", start)).toBe(
      "application/octet-stream",
    );
  });

  it.each(["image/svg+xml", "image/x-unknown", "a b", "", "text", "x/y\r\nset-cookie: a", "x/é", "a/b/c"])(
    "declared as %j is application/octet-stream",
    (declared) => {
      expect(storedMediaType(declared, "<svg/>", "file")).toBe("application/octet-stream");
    },
  );

  it("of a type other than an image keeps its declared type", () => {
    expect(storedMediaType("application/pdf", "anything", "file")).toBe("application/pdf");
    expect(storedMediaType("text/html", "<b>", "file")).toBe("text/html");
  });

  it("is separated in a file field and remains text in any other field", () => {
    const fields: FormField[] = [image, { name: "text", label: "T", type: "textarea" }];
    const file = { prefix: "data:text/plain;base64,", content: Buffer.from("ABC") };
    const files = new Map(["a", "text", "unknown"].map((name) => [name, file]));
    const formData = { a: "", text: "", unknown: "", other: 1 };
    const { data, kept, ignored } = separateFiles(fields, { formData, files, fileNames: {} });
    expect(data).toEqual({ a: null, text: "data:text/plain;base64,QUJD" });
    expect(ignored).toEqual(["unknown", "other"]);
    expect([...kept.keys()]).toEqual(["a"]);
    expect(kept.get("a")).toMatchObject({ size: 3, content: Buffer.from("ABC"), prefix: file.prefix });
  });
});

onBothDatabases("files of a form", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database });
  });
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  const createDataUrl = (bytes: Buffer, type = "application/pdf") => `data:${type};base64,${bytes.toString("base64")}`;
  const createForm = (...names: string[]) =>
    forms.createForm({ formSchema: { fields: names.map((name) => ({ name, label: "A file", type: "file" })) } });
  const download = async (path: string) => {
    const { headers } = forms.account;
    return forms.server.app.inject({ url: path, headers });
  };

  it("can have exactly 5 MiB and not a byte more", async () => {
    const form = await createForm("cv");
    const bytes = Buffer.alloc(5 * MIB + 1, "foyer");
    const { status, body } = await forms.submit(form.id, { cv: createDataUrl(bytes.subarray(0, -1)) });
    expect([status, body.success]).toEqual([200, true]);
    const kept = await download(`/form-submissions/${body.submissionId}/files/cv`);
    expect(kept.rawPayload.equals(bytes.subarray(0, -1))).toBe(true);

    const refused = await forms.submit(form.id, { cv: createDataUrl(bytes) });
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        data: null,
        error: {
          code: "FILE_TOO_LARGE",
          message: expect.stringContaining("5 MB"),
          details: [{ path: "formData.cv", code: "file_size", message: expect.any(String) }],
        },
      },
    ]);
    const { total } = (await forms.account.call("GET", `/form-submissions?toolId=${form.id}`)).body.pagination;
    expect(total).toBe(1);
  });

  it("are never displayed in a browser as one of our pages", async () => {
    const form = await createForm("cv");
    const { body } = await forms.submit(form.id, {
      cv: createDataUrl(Buffer.from("<script>alert(1)</script>"), "text/html"),
    });
    const { headers, statusCode } = await download(`/form-submissions/${body.submissionId}/files/cv`);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html",
      "content-disposition": expect.stringMatching(/^attachment;/),
      "x-content-type-options": "nosniff",
    });
  });

  it.each([
    'a "b"\\c',
    "../../etc/passwd",
    "naïve 🚲 %2e",
    "a;filename=b.exe",
    "it's (a) file*!",
    "ü".repeat(100),
    "?#&=+",
  ])("can belong to a field named %j", async (name) => {
    const form = await createForm(name);
    const { body } = await forms.submit(form.id, { [name]: createDataUrl(Buffer.from("Ada")) });
    const { formData } = await forms.detail(body.submissionId);
    expect(formData).toEqual({
      [name]: {
        file: true,
        name: null,
        mediaType: "application/pdf",
        size: 3,
        url: expect.stringMatching(/^\/form-submissions\//),
      },
    });
    const file = await download((formData[name] as { url: string }).url);
    expect([file.statusCode, file.body]).toEqual([200, "Ada"]);
    const disposition = String(file.headers["content-disposition"]);
    const [, encoded = ""] = /^attachment; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/.exec(disposition) ?? [];
    expect(decodeURIComponent(encoded), disposition).toBe(name);
  });

  it("keep their original name in lists and downloads", async () => {
    const form = await createForm("cv");
    const fileNames = { cv: "C:\\plans\\Größe 🚲.pdf", other: "no.pdf" };
    const { body } = await forms.submit(form.id, { cv: createDataUrl(Buffer.from("Ada")) }, { fileNames });
    const { formData } = await forms.detail(body.submissionId);
    expect(formData.cv).toMatchObject({ name: "Größe 🚲.pdf" });
    const { headers } = await download((formData.cv as { url: string }).url);
    const encoded = String(headers["content-disposition"]).replace("attachment; filename*=UTF-8''", "");
    expect(decodeURIComponent(encoded)).toBe("Größe 🚲.pdf");
  });

  it("that do not exist get 404", async () => {
    const form = await createForm("cv");
    const { body } = await forms.submit(form.id, { cv: createDataUrl(Buffer.from("Ada")) });
    for (const path of [`${body.submissionId}/files/other`, `${body.submissionId}/files/`, "sub_x/files/cv"]) {
      expect((await download(`/form-submissions/${path}`)).statusCode, path).toBe(404);
    }
  });

  it("are limited to 24 MiB in total, which is reported with 400 like a single file that is too large", async () => {
    const { id } = await createForm("cv");
    const head = JSON.stringify({ toolId: id, fieldsCompleted: [], formData: { name: "Ada" } }).slice(0, -1);
    for (const [size, isChunked, status] of [
      [24 * MIB, false, 200],
      [24 * MIB + 1, false, 400],
      [24 * MIB + 1, true, 400],
    ] as const) {
      // Whitespace increases the size without changing the content.
      const payload = Buffer.concat([Buffer.from(head), Buffer.alloc(size - head.length - 1, " "), Buffer.from("}")]);
      const headers = { "content-type": "application/json", ...(isChunked ? { "transfer-encoding": "chunked" } : {}) };
      const response = await forms.server.app.inject({
        method: "POST",
        url: "/form-submissions/submit",
        headers,
        payload,
      });
      expect(response.statusCode).toBe(status);
      if (status === 400)
        expect(response.json().error).toEqual({ code: "FILE_TOO_LARGE", message: expect.stringContaining("24 MiB") });
    }
  });

  it("count as the same in any order when a request is repeated", async () => {
    const { id } = await forms.createForm({
      formSchema: { fields: ["a", "b"].map((name) => ({ name, label: name, type: "file" })) },
    });
    const [a, b] = ["data:a/b;base64,QUJD", "data:a/b;base64,QUJE"];
    const key = { "idempotency-key": "files-in-order" };
    const more = { fieldsCompleted: [] };
    const first = await forms.submit(id, { a, b }, more, key);
    expect(await forms.submit(id, { b, a }, more, key)).toEqual(first);
    expect((await forms.submit(id, { a: b, b: a }, more, key)).status).toBe(409);
  });
});
