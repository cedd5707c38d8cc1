import type { FormAnalyticsDay, FormAnalyticsEntry, FormEvent } from "@foyer/contract";
import { createBatchWriter } from "../../db/batch-writer.ts";
import type { Executor } from "../../db/compiled-query.ts";
import type { FormDayRow } from "../../db/form-tables.ts";
import type { ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import type { ToolService } from "../../tools/service.ts";
import { dayOf } from "../../utc-day.ts";
import { toFormNotFound } from "../deleted-form.ts";
import type { FormCounters, InstanceEvent } from "./form-counters.ts";
import { createAnalyticsStore, type DayRange } from "./store.ts";

type Counts = Omit<FormDayRow, "toolId" | "day" | "agentId">;

const nothing: Counts = { impressions: 0, started: 0, submitted: 0, successful: 0, failed: 0 };

/** What visitors do with forms before they submit them, and the figures that follow from all of it. */
export function createFormAnalytics(
  { db, reads }: Pick<Deps, "db" | "reads">,
  tools: ToolService,
  counters: FormCounters,
) {
  const store = createAnalyticsStore({ db, reads });
  const keepEvent = createBatchWriter(
    db,
    async (trx: Executor, events: InstanceEvent[]) => {
      await counters.add(trx, await counters.keepInstances(trx, events));
      return events.map(() => undefined);
    },
    { maxItems: 500 },
  );

  return {
    /** Counted once for each showing of the form; one that names a field that the form does not have counts as begun. */
    async record(tool: ToolRow, { eventType, formInstanceId, fieldName }: FormEvent): Promise<void> {
      const isField = eventType === "field_completed" && fieldName && fieldNames(tool).includes(fieldName);
      await keepEvent({
        toolId: tool.id,
        agentId: tool.agentId,
        id: formInstanceId,
        day: dayOf(Date.now()),
        isStarted: eventType !== "impression",
        fields: isField ? [fieldName] : [],
      }).catch(toFormNotFound);
    },
    /** Every form of the agent, those without visitors too. Days are UTC, both ends count; `groupBy` adds them one by one. */
    async entries(organizationId: string, agentId: string, range: DayRange, groupBy?: "day") {
      const forms = (await tools.list(organizationId, agentId)).filter((tool) => tool.executionType === "form");
      const owned = { organizationId, agentId };
      const totals = await store.totals(owned, range);
      const days = groupBy === "day" ? Map.groupBy(await store.days(owned, range), ({ toolId }) => toolId) : null;
      const fields = await store.fields(owned, range);
      return forms.map(({ id: toolId, name: toolName, formSchema }): FormAnalyticsEntry => {
        const counts = totals.find((row) => row.toolId === toolId) ?? nothing;
        const completed = (field: string) =>
          fields.find((row) => row.toolId === toolId && row.field === field)?.completed ?? 0;
        const names = (formSchema?.fields ?? []).map(({ name }) => name);
        const ofDays = days && { days: (days.get(toolId) ?? []).map(toDay) };
        return { toolId, toolName, ...figures(counts, names, completed), ...ofDays };
      });
    },
  };
}

function toDay({ day, impressions, started, submitted, successful, failed }: FormDayRow): FormAnalyticsDay {
  return { date: day, impressions, started, submitted, successful, failed };
}

/** The counts with the rates that follow; a rate of nothing is 0. */
function figures(row: Counts, fieldNames: readonly string[], completed: (field: string) => number) {
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

function fieldNames({ formSchema }: ToolRow): string[] {
  const schema: { fields: Array<{ name: string }> } = JSON.parse(formSchema ?? '{"fields":[]}');
  return schema.fields.map(({ name }) => name);
}
