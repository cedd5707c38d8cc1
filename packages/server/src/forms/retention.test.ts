import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../test/form-client.ts";
import { deleteSubmissionDaysBefore, deleteSubmissionsBefore } from "./retention.ts";

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;

onBothDatabases("submission retention", (createDatabase) => {
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

  it("deletes older submissions with their files and deliveries, and keeps newer ones and all counters", async () => {
    const { db, account, agentId } = forms;
    const fields = [{ name: "paper", label: "Paper", type: "file" }];
    const form = await forms.createForm({ formSchema: { fields }, formWebhookUrl: `${forms.receiver.url}/lead` });
    // Two of these are more than one transaction may delete.
    const paper = `data:text/plain;base64,${Buffer.alloc(2.5 * MIB, "x").toString("base64")}`;
    const submit = async () => (await forms.submit(form.id, { paper })).body.submissionId as string;
    const old = [await submit(), await submit(), await submit()];
    const recent = await submit();
    const submissionIds = async (table: "submissionFiles" | "deliveries") =>
      (await db.selectFrom(table).select("submissionId").execute()).map(({ submissionId }) => submissionId);
    expect(await submissionIds("submissionFiles")).toHaveLength(4);
    // Set the age through the ids, because they contain the creation time.
    const { createdAt } = await db
      .selectFrom("submissions")
      .select("createdAt")
      .where("id", "=", recent)
      .executeTakeFirstOrThrow();
    expect(await deleteSubmissionsBefore(db, agentId, createdAt - DAY_MS)).toBe(0);
    expect(await deleteSubmissionsBefore(db, agentId, createdAt)).toBe(old.length);
    expect(await db.selectFrom("submissions").select("id").execute()).toEqual([{ id: recent }]);
    expect(await submissionIds("submissionFiles")).toEqual([recent]);
    expect(await submissionIds("deliveries")).toEqual([recent]);
    const { analytics } = (await account.call("GET", `/form-submissions/analytics?agentId=${agentId}`)).body;
    expect(analytics[0].submitted).toBe(4);
  });

  it("deletes the daily quotas of past days and keeps today's", async () => {
    const { db, agentId } = forms;
    await db.insertInto("submissionDays").values({ agentId, day: "2020-01-01", bytes: 5 }).execute();
    await db.insertInto("confirmationDays").values({ key: "ada", day: "2020-01-01", sent: 1 }).execute();
    const today = new Date().toISOString().slice(0, 10);
    expect(await deleteSubmissionDaysBefore(db, today)).toBe(2);
    expect(await db.selectFrom("submissionDays").select("day").where("day", "<", today).execute()).toEqual([]);
    expect(await db.selectFrom("submissionDays").select("day").where("agentId", "=", agentId).execute()).toHaveLength(
      1,
    );
  });
});
