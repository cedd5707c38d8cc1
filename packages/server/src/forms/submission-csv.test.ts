import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../test/form-client.ts";
import { newId } from "../ids.ts";

/** Parses CSV by RFC 4180. It is written by hand, so that the CSV library does not check its own output. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gy;
  for (const [, quoted, plain = "", end] of text.matchAll(cell)) {
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
    if (end === "") break;
  }
  return rows.filter((row) => row.length > 1);
}

const createTextField = (name: string) => ({ name, label: name, type: "text" });
const days = {
  name: "extra",
  label: "Days",
  type: "multiselect",
  options: ["Mo", "Fr"].map((value) => ({ value, label: value })),
};

onBothDatabases("the CSV export of submissions", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database, env: { BASE_URL: "http://localhost:3210" } });
  });
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  async function fetchCsv(query: string) {
    const { headers } = forms.account;
    const url = `/form-submissions?format=csv&${query}`;
    const response = await forms.server.app.inject({ url, headers });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "text/csv; charset=utf-8"]);
    expect(response.headers["content-disposition"]).toBe('attachment; filename="form-submissions.csv"');
    expect([...response.rawPayload.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [header = [], ...rows] = readCsv(response.rawPayload.subarray(3).toString("utf8"));
    return { header, rows, records: rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i]]))) };
  }

  it("writes true and false for checkboxes, as the webhook does, and requires consent", async () => {
    const consent = {
      name: "consent",
      label: "I accept the [privacy policy](https://shop.example/privacy)",
      type: "checkbox",
      validation: { required: { value: true } },
    };
    const fields = [consent, { name: "news", label: "Newsletter", type: "checkbox" }];
    const form = await forms.createForm({ formSchema: { fields }, formWebhookUrl: `${forms.receiver.url}/consent` });
    const refused = await forms.submit(form.id, { consent: false, news: false });
    expect([refused.status, refused.body.error.details]).toEqual([
      400,
      [{ path: "formData.consent", code: "required", message: "I accept the privacy policy must be ticked" }],
    ]);
    expect((await forms.submit(form.id, { consent: true, news: false })).status).toBe(200);
    expect(forms.receiver.bodies("/consent")[0].formData).toEqual({ consent: true, news: false });
    const { records } = await fetchCsv(`toolId=${form.id}`);
    expect(records).toMatchObject([{ consent: "true", news: "false" }]);
  });

  it("has a column for each field of any submission, newest submission first", async () => {
    const form = await forms.createForm({
      formSchema: { fields: [createTextField("name"), days, createTextField("id")] },
    });
    const first = await forms.submit(form.id, { name: "Ada", extra: ["Mo", "Fr"] }, { conversationId: "conv_1" });
    await forms.account.call("PUT", `/tools/${form.id}`, {
      formSchema: { fields: [createTextField("name"), createTextField("more"), createTextField("id")] },
    });
    const second = await forms.submit(form.id, { name: "Grace", more: "deep", id: "own" });
    const { header, rows } = await fetchCsv(`toolId=${form.id}`);
    expect([header[0], header.length, rows.length]).toEqual(["id", 9, 2]);
    expect(rows.map(([id]) => id)).toEqual([second.body.submissionId, first.body.submissionId]);
    const fields = header.slice(5);
    expect(fields.toSorted()).toEqual(["extra", "id", "more", "name"]);
    const readRow = (row = 0) => Object.fromEntries(fields.map((name, i) => [name, rows[row]?.[5 + i]]));
    expect(readRow(0)).toEqual({ name: "Grace", more: "deep", id: "own", extra: "" });
    expect(readRow(1)).toEqual({ name: "Ada", extra: "Mo, Fr", more: "", id: "" });
    expect(rows[1]?.slice(1, 5)).toEqual([expect.stringMatching(/Z$/), "submitted", form.name, "conv_1"]);
  });

  it("keeps quotes, line breaks and all characters", async () => {
    const form = await forms.createForm();
    const texts = ['say "hi", ok', "two\r\nlines\nand more", "Grüße 🚲 ﷽", " spaced ", "a,b;c", ""];
    for (const name of texts) await forms.submit(form.id, { name });
    const { records } = await fetchCsv(`toolId=${form.id}`);
    expect(records.map(({ name }) => name)).toEqual(texts.toReversed());
  });

  it("escapes formulas in values and column names", async () => {
    const formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://evil.example","x")', "＝1+1"];
    const form = await forms.createForm({ formSchema: { fields: ["name", ...formulas].map(createTextField) } });
    for (const name of formulas) await forms.submit(form.id, { name, [name]: "x" }, { conversationId: name });
    const { header, records } = await fetchCsv(`toolId=${form.id}`);
    for (const { name, conversationId } of records) {
      expect(name).toMatch(/^'/);
      expect(conversationId).toMatch(/^'/);
    }
    expect(header.filter((name) => /^[=+\-@\t\r＝]/.test(name))).toEqual([]);
  });

  it("quotes every cell, so that no separator can start a formula", async () => {
    const form = await forms.createForm({
      formSchema: { fields: [createTextField("name"), createTextField("a;=cmd|' /C calc'!A0")] },
    });
    await forms.submit(form.id, { name: "y;=1+1", "a;=cmd|' /C calc'!A0": "\t=1" });
    const { headers } = forms.account;
    const { body } = await forms.server.app.inject({ url: `/form-submissions?format=csv&toolId=${form.id}`, headers });
    const unquoted = body.replace(/"(?:[^"]|"")*"/g, "");
    expect(unquoted).toMatch(/^\ufeff[,\r\n]+$/);
    expect(body).not.toMatch(/(^|[,\r\n])"[=+\-@＝＋－＠]/m);
  });

  it("contains no formula for a spreadsheet that separates cells by semicolons or tabs", async () => {
    const column = "a;=cmd|' /C calc'!A0";
    const form = await forms.createForm({ formSchema: { fields: [createTextField("name"), createTextField(column)] } });
    const name = "y;=1+1;z\t@SUM(A1)\tz\n-1\r\n＝1+1; -2";
    await forms.submit(form.id, { name, [column]: "x" });
    const { records, header } = await fetchCsv(`toolId=${form.id}`);
    expect(header).toContain("a;'=cmd|' /C calc'!A0");
    expect(records[0]?.name).toBe("y;'=1+1;z\t'@SUM(A1)\tz\n'-1\r\n'＝1+1; -2");
  });

  it("contains the URL of each file", async () => {
    const form = await forms.createForm({ formSchema: { fields: [{ name: "cv", label: "CV", type: "file" }] } });
    const { body } = await forms.submit(form.id, { cv: "data:a/b;base64,QUJD" });
    const { records } = await fetchCsv(`toolId=${form.id}`);
    expect(records[0]?.cv).toBe(`http://localhost:3210/form-submissions/${body.submissionId}/files/cv`);
  });

  it("ignores a URL that a visitor made up", async () => {
    const form = await forms.createForm({ formSchema: { fields: [createTextField("name"), createTextField("cv")] } });
    const { body } = await forms.submit(form.id, { name: "Ada" });
    // Earlier versions used this format.
    const made = { file: true, mediaType: "a/b", size: 1, url: "@evil.example/cv" };
    const formData = JSON.stringify({ cv: made, "\ud800": "odd" });
    await forms.db.updateTable("submissions").set({ formData }).where("id", "=", body.submissionId).execute();
    const { records } = await fetchCsv(`toolId=${form.id}`);
    expect(records[0]?.cv).toMatch(/^\{"file":true/);
  });

  it("has columns for the first 1,000 fields and one column for all others", async () => {
    const form = await forms.createForm();
    const createFields = (from: number) =>
      Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${from + i}`, from]));
    // Earlier versions stored fields that the form did not have.
    for (const from of [600, 0]) {
      const { body } = await forms.submit(form.id);
      const formData = JSON.stringify(createFields(from));
      await forms.db.updateTable("submissions").set({ formData }).where("id", "=", body.submissionId).execute();
    }
    const { header, records } = await fetchCsv(`toolId=${form.id}`);
    expect([header.length, header[5], header[1_004], header[1_005]]).toEqual([1_006, "f0", "f999", "(more fields)"]);
    expect(records[0]?.["(more fields)"]).toBe("");
    const more = JSON.parse(records[1]?.["(more fields)"] ?? "");
    expect([Object.keys(more).length, more.f1000, more.f1199]).toEqual([200, 600, 600]);
  });

  it("contains all submissions across pages", async () => {
    const form = await forms.createForm();
    const { body } = await forms.submit(form.id);
    const [row] = await forms.db.selectFrom("submissions").selectAll().where("id", "=", body.submissionId).execute();
    if (!row) throw new Error("not kept");
    const ids = Array.from({ length: 1_001 }, () => newId("sub"));
    for (let from = 0; from < ids.length; from += 500) {
      const rows = ids.slice(from, from + 500).map((id) => ({ ...row, id }));
      await forms.db.insertInto("submissions").values(rows).execute();
    }
    const { rows } = await fetchCsv(`toolId=${form.id}&limit=2&offset=3`);
    expect(new Set(rows.map(([id]) => id))).toEqual(new Set([row.id, ...ids]));
    expect(rows.length).toBe(1_002);
    expect((await fetchCsv(`toolId=${form.id}&status=pending`)).rows).toEqual([]);
  });
});
