import type { FormAnalyticsDay, FormAnalyticsEntry, FormEvent } from "@foyer/contract";
import { createBatchWriter } from "../../db/batch-writer.ts";
import type { Executor } from "../../db/compiled-query.ts";
import type { FormDayRow } from "../../db/tables/forms.ts";
import type { ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import type { ToolService } from "../../tools/service.ts";
import { toUtcDay } from "../../utc-day.ts";
import { toFormNotFound } from "../deleted-form.ts";
import type { FormCounters, ImpressionEvent } from "./form-counters.ts";
import { createAnalyticsStore, type DayRange } from "./store.ts";

type Counts = Omit<FormDayRow, "toolId" | "day" | "agentId">;

const zeroCounts: Counts = { impressions: 0, started: 0, submitted: 0, successful: 0, failed: 0 };

export type FormAnalytics = ReturnType<typeof createFormAnalytics>;

/** Records how visitors use forms before submitting them, and calculates the analytics from all counters. */
export function createFormAnalytics(
  { db, reads }: Pick<Deps, "db" | "reads">,
  tools: ToolService,
  counters: FormCounters,
) {
  const store = createAnalyticsStore({ db, reads });
  const writeEvent = createBatchWriter(
    db,
    async (trx: Executor, events: ImpressionEvent[]) => {
      await counters.add(trx, await counters.recordImpressions(trx, events));
      return events.map(() => undefined);
    },
    { maxItems: 500 },
  );

  return {
    /**
     * Counts each impression once. A `field_completed` event for a field that the form does not have still counts the
     * form as started.
     */
    async record(tool: ToolRow, { eventType, formInstanceId, fieldName }: FormEvent): Promise<void> {
      const isField = eventType === "field_completed" && fieldName && readFieldNames(tool).includes(fieldName);
      await writeEvent({
        toolId: tool.id,
        agentId: tool.agentId,
        id: formInstanceId,
        day: toUtcDay(Date.now()),
        isStarted: eventType !== "impression",
        fields: isField ? [fieldName] : [],
      }).catch(toFormNotFound);
    },
    /**
     * Returns the analytics of every form of the agent, including forms that no visitor has seen. Days are in UTC, and
     * both ends of the range are inclusive. `groupBy` adds the counts of each day.
     */
    async entries(
      organizationId: string,
      agentId: string,
      { range, groupBy }: { range: DayRange; groupBy?: "day" | undefined },
    ) {
      const forms = (await tools.list(organizationId, agentId)).filter((tool) => tool.executionType === "form");
      const owned = { organizationId, agentId };
      const totals = await store.totals(owned, range);
      const days = groupBy === "day" ? Map.groupBy(await store.days(owned, range), ({ toolId }) => toolId) : null;
      const fields = await store.fields(owned, range);
      return forms.map(({ id: toolId, name: toolName, formSchema }): FormAnalyticsEntry => {
        const counts = totals.find((row) => row.toolId === toolId) ?? zeroCounts;
        const completed = (field: string) =>
          fields.find((row) => row.toolId === toolId && row.field === field)?.completed ?? 0;
        const names = (formSchema?.fields ?? []).map(({ name }) => name);
        const daily = days && { days: (days.get(toolId) ?? []).map(toDay) };
        return { toolId, toolName, ...calculateRates(counts, names, completed), ...daily };
      });
    },
  };
}

function toDay({ day, impressions, started, submitted, successful, failed }: FormDayRow): FormAnalyticsDay {
  return { date: day, impressions, started, submitted, successful, failed };
}

/** Adds the rates to the counts. A rate is 0 if there are no impressions or starts. */
function calculateRates(row: Counts, fieldNames: readonly string[], completed: (field: string) => number) {
  const { impressions, started, submitted, successful, failed } = row;
  return {
    impressions,
    started,
    submitted,
    successful,
    failed,
    conversionRate: percent(submitted, impressions),
    completionRate: percent(submitted, started),
    fieldCompletionRates: Object.fromEntries(fieldNames.map((name) => [name, percent(completed(name), started)])),
  };
}

const percent = (part: number, whole: number) => (whole === 0 ? 0 : (part / whole) * 100);

function readFieldNames({ formSchema }: ToolRow): string[] {
  const schema: { fields: Array<{ name: string }> } = JSON.parse(formSchema ?? '{"fields":[]}');
  return schema.fields.map(({ name }) => name);
}
