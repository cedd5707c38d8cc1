import type { Agent, ReplayEstimate } from "@foyer/contract";
import { replayLimits } from "@foyer/contract/rules/evaluations";
import { searchTextLimits } from "@foyer/contract/rules/limits";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { formatCost } from "../../../components/cost-text.ts";
import { NumberField, Select, TextField, Toggle } from "../../../components/field.tsx";
import { FormDialog } from "../../../components/form-dialog.tsx";
import { pluralize } from "../../../components/plural.ts";
import { useDialogForm } from "../../../components/use-dialog-form.ts";
import { versionOptions } from "../../../components/version-names.ts";
import { api } from "../../../data/api.ts";
import { endpointQuery, refresh } from "../../../data/queries.ts";
import { CheckFields } from "../check-fields.tsx";
import { createDraft, type ReplayDraft, requireLimit, roundUp, toBody } from "./replay-draft.ts";

/** The versions that the lists offer. */
const LISTED = 200;

/** Chooses versions and conversations, shows what the replay would cost, and starts it after that. */
export function StartReplay({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { id } = agent;
  const navigate = useNavigate();
  const [estimate, setEstimate] = useState<ReplayEstimate | null>(null);
  const form = useDialogForm(createDraft(agent), async (values) => {
    if (!estimate) {
      const body = { ...toBody(values), maxCost: null };
      const found = await api.createReplay({ id, dryRun: true, body });
      setEstimate(found.estimate);
      form.change({ maxCost: found.suggestedMaxCost === null ? null : roundUp(found.suggestedMaxCost) });
      return;
    }
    // Without a known price, there can be no limit.
    const maxCost = estimate.cost === null ? null : requireLimit(values.maxCost);
    const started = await api.createReplay({ id, body: { ...toBody(values), maxCost } });
    await refresh("listReplays");
    onClose();
    if (started.id === null) return;
    await navigate({
      to: "/agents/$agentId/tests/replays/$replayId",
      params: { agentId: id, replayId: started.id },
    });
  });
  const isEmpty = estimate?.turns === 0;
  const change = (part: Partial<ReplayDraft>) => {
    // Another sample has another price.
    setEstimate(null);
    form.change(part);
  };
  return (
    <FormDialog
      isSide
      title="Start replay"
      description="Both versions answer the visitors' messages again. What you see here costs nothing until you start it."
      action={!estimate || isEmpty ? "Show price" : "Start replay"}
      form={form}
      onClose={onClose}
    >
      <VersionFields agent={agent} values={form.values} onChange={change} errorAt={form.errorAt} />
      <SampleFields values={form.values} onChange={change} errorAt={form.errorAt} />
      <fieldset className="grid min-w-0 gap-3">
        <legend className="mb-1 font-medium">
          Checks <span className="font-normal text-soft">(optional)</span>
        </legend>
        <p className="text-sm text-soft">
          Foyer compares language, length, facts, calls of tools and citations itself. Add what each reply must do
          besides.
        </p>
        <CheckFields
          agentId={id}
          checks={form.values.checks}
          onChange={(checks) => change({ checks })}
          errorAt={form.errorAt}
          without={["judge"]}
        />
      </fieldset>
      <Toggle
        label="Let the model compare differing replies"
        help="The model of the first version says which reply is better, in both orders. That costs two more calls for each pair."
        value={form.values.compare}
        onChange={(compare) => change({ compare })}
      />
      {estimate && (
        <Price
          estimate={estimate}
          maxCost={form.values.maxCost}
          onChange={(maxCost) => form.change({ maxCost })}
          error={form.errorAt("maxCost")}
        />
      )}
    </FormDialog>
  );
}

type FieldsProps = {
  values: ReplayDraft;
  onChange: (part: Partial<ReplayDraft>) => void;
  errorAt: (path: string) => string | undefined;
};

function VersionFields({ agent: { id, publishing }, values, onChange, errorAt }: FieldsProps & { agent: Agent }) {
  const versions = useQuery(endpointQuery("listAgentVersions", { id, limit: LISTED })).data?.data ?? [];
  const options = versionOptions(versions, {
    hasDraft: publishing === "manual",
    chosen: [values.from, values.to],
  });
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Select
        label="Baseline"
        value={values.from}
        options={options}
        onChange={(from) => onChange({ from })}
        error={errorAt("from")}
      />
      <Select
        label="Candidate"
        value={values.to}
        options={options}
        onChange={(to) => onChange({ to })}
        error={errorAt("to")}
      />
    </div>
  );
}

function SampleFields({ values: { sample }, onChange, errorAt }: FieldsProps) {
  const tags = useQuery(endpointQuery("listTags")).data ?? [];
  const change = (part: Partial<ReplayDraft["sample"]>) => onChange({ sample: { ...sample, ...part } });
  return (
    <fieldset className="grid min-w-0 gap-3">
      <legend className="mb-1 font-medium">Conversations</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          label="Number"
          help={`The newest that match, up to ${replayLimits.conversations}.`}
          min={1}
          max={replayLimits.conversations}
          value={sample.n}
          onChange={(n) => change({ n })}
          error={errorAt("sample.n")}
        />
        <TextField
          label="With the words"
          isOptional
          maxLength={searchTextLimits.conversations}
          value={sample.q}
          onChange={(q) => change({ q })}
          error={errorAt("sample.filter.q")}
        />
        <Select
          label="Feedback"
          value={sample.feedback}
          onChange={(feedback) => change({ feedback })}
          options={[
            { value: "", label: "Any" },
            { value: "up", label: "Rated good" },
            { value: "down", label: "Rated bad" },
          ]}
        />
        <Select
          label="Replies"
          value={sample.failed}
          onChange={(failed) => change({ failed })}
          options={[
            { value: "", label: "Any" },
            { value: "true", label: "Failed replies" },
          ]}
        />
        <Select
          label="Tag"
          value={sample.tag}
          onChange={(tag) => change({ tag })}
          options={[{ value: "", label: "Any" }, ...tags.map((tag) => ({ value: tag.id, label: tag.name }))]}
          error={errorAt("sample.filter.tag")}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          type="date"
          label="Started from"
          isOptional
          value={sample.since}
          onChange={(since) => change({ since })}
          error={errorAt("sample.filter.from")}
        />
        <TextField
          type="date"
          label="Started until"
          isOptional
          value={sample.until}
          onChange={(until) => change({ until })}
          error={errorAt("sample.filter.to")}
        />
      </div>
    </fieldset>
  );
}

/** What the replay would cost, and how much it may cost at most. */
function Price({
  estimate: { cost, currency, turns },
  maxCost,
  onChange,
  error,
}: {
  estimate: ReplayEstimate;
  maxCost: number | null;
  onChange: (maxCost: number | null) => void;
  error: string | undefined;
}) {
  const replies = pluralize(turns, "reply", "replies");
  return (
    <section aria-label="Price" className="grid gap-3 rounded-lg border border-line bg-raised p-4">
      <div role="status" className="grid gap-1">
        {turns === 0 ? (
          <p>No conversation matches. Choose others.</p>
        ) : cost === null ? (
          <>
            <p className="text-lg font-semibold">Unknown price</p>
            <p className="text-soft">
              {replies}, each from both versions. A model has no price, so the replay has no limit. Prices are set under{" "}
              <Link to="/settings/models/prices" className="underline underline-offset-2">
                Settings → Models → Prices
              </Link>
              .
            </p>
          </>
        ) : (
          <>
            <p className="text-lg font-semibold tabular-nums">About {formatCost(cost, currency)}</p>
            <p className="text-soft">{replies}, each from both versions.</p>
          </>
        )}
      </div>
      {turns > 0 && cost !== null && (
        <NumberField
          label={`Stop at (${currency})`}
          help="No call is made that could exceed this, so it has room for a long reply."
          min={0}
          step="any"
          inputMode="decimal"
          className="max-w-40"
          value={maxCost}
          onChange={onChange}
          error={error}
        />
      )}
    </section>
  );
}
