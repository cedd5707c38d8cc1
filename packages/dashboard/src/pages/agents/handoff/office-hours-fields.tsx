import type { OfficeHours } from "@foyer/contract";
import { handoffSettingsLimits } from "@foyer/contract/rules/limits";
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../../../components/button.tsx";
import { fieldBox, Select, Toggle } from "../../../components/field.tsx";
import {
  createUsualHours,
  type Exception,
  endFromField,
  isBackwards,
  listSpans,
  listTimeZones,
  nextException,
  nextSpan,
  type Span,
  toField,
  weekdays,
  withException,
  withSpans,
} from "./office-hours.ts";

type Change = { hours: OfficeHours; onChange: (hours: OfficeHours) => void };

/** When the team is available: always, or at certain hours of the week with exceptions. */
export function OfficeHoursFields({
  value,
  help,
  onChange,
  errorAt,
}: {
  value: OfficeHours | null;
  /** What applies without office hours. */
  help: string;
  onChange: (hours: OfficeHours | null) => void;
  /** The error of a part such as `timeZone`; of the hours themselves for an empty path. */
  errorAt: (path: string) => string | undefined;
}) {
  return (
    <>
      <Toggle
        label="Set office hours"
        help={help}
        value={value !== null}
        onChange={(isOn) => onChange(isOn ? createUsualHours() : null)}
      />
      {value && (
        <>
          <Select
            label="Time zone"
            className="max-w-96"
            value={value.timeZone}
            onChange={(timeZone) => onChange({ ...value, timeZone })}
            options={listTimeZones(value.timeZone).map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }))}
            error={errorAt("timeZone")}
          />
          <Week hours={value} onChange={onChange} />
          <Exceptions hours={value} onChange={onChange} />
          {(errorAt("days") ?? errorAt("exceptions")) && (
            <p role="alert" className="text-sm text-wrong">
              {errorAt("days") ?? errorAt("exceptions")}
            </p>
          )}
        </>
      )}
    </>
  );
}

function Week({ hours, onChange }: Change) {
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">Days</legend>
      {weekdays.map((name, index) => (
        <Day key={name} name={name} day={index + 1} hours={hours} onChange={onChange} />
      ))}
    </fieldset>
  );
}

function Day({ name, day, hours, onChange }: Change & { name: string; day: number }) {
  const spans = listSpans(hours, day);
  const set = (next: readonly Span[]) => onChange(withSpans(hours, day, next));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-2 border-b border-line py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
      <div className="flex min-h-9 items-center">
        <Toggle label={name} value={spans.length > 0} onChange={(isOn) => set(isOn ? [nextSpan(day, [])] : [])} />
      </div>
      {spans.length === 0 ? (
        <p className="flex min-h-9 items-center text-soft">Closed</p>
      ) : (
        <div className="grid gap-2">
          {spans.map((span, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a span is identified by its position while it is edited
            <div key={at} className="flex flex-wrap items-center gap-2">
              <Times
                label={spans.length > 1 ? `${name}, span ${at + 1}` : name}
                span={span}
                onChange={(times) => set(spans.with(at, { day, ...times }))}
              />
              {spans.length > 1 && (
                <IconButton label={`Remove span ${at + 1} of ${name}`} onClick={() => set(spans.toSpliced(at, 1))}>
                  <X size={16} aria-hidden />
                </IconButton>
              )}
              {at === spans.length - 1 && spans.length < 4 && (
                <IconButton label={`Add a span on ${name}`} onClick={() => set([...spans, nextSpan(day, spans)])}>
                  <Plus size={16} aria-hidden />
                </IconButton>
              )}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

type TimeSpan = { from: string; to: string };

function Times({ label, span, onChange }: { label: string; span: TimeSpan; onChange: (span: TimeSpan) => void }) {
  const box = `${fieldBox} w-auto!`;
  const isWrong = isBackwards(span) || undefined;
  return (
    <>
      <input
        type="time"
        required
        aria-label={`${label}, from`}
        aria-invalid={isWrong}
        value={toField(span.from)}
        onChange={({ target }) => target.value && onChange({ ...span, from: target.value })}
        className={box}
      />
      <span aria-hidden>–</span>
      <input
        type="time"
        required
        aria-label={`${label}, until`}
        aria-invalid={isWrong}
        value={toField(span.to)}
        onChange={({ target }) => target.value && onChange({ ...span, to: endFromField(target.value) })}
        className={box}
      />
      {isWrong && <span className="text-sm text-wrong">Ends before it starts</span>}
    </>
  );
}

function Exceptions({ hours, onChange }: Change) {
  const { exceptions } = hours;
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">Exceptions</legend>
      {exceptions.length === 0 && <p className="text-soft">Add holidays and other days with different hours.</p>}
      {exceptions.map((exception, at) => (
        <ExceptionRow
          // biome-ignore lint/suspicious/noArrayIndexKey: an exception is identified by its position while it is edited
          key={at}
          number={at + 1}
          exception={exception}
          onChange={(next) => onChange(withException(hours, at, next))}
        />
      ))}
      <div>
        <Button
          disabled={exceptions.length >= handoffSettingsLimits.exceptions}
          onClick={() => onChange(withException(hours, exceptions.length, nextException(hours, new Date())))}
        >
          <Plus size={16} aria-hidden /> Add exception
        </Button>
      </div>
    </fieldset>
  );
}

function ExceptionRow({
  number,
  exception,
  onChange,
}: {
  number: number;
  exception: Exception;
  onChange: (exception: Exception | null) => void;
}) {
  const label = `Exception ${number}`;
  const { date, from, to } = exception;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <input
        type="date"
        required
        aria-label={`${label}, date`}
        value={date}
        onChange={({ target }) => target.value && onChange({ ...exception, date: target.value })}
        className={`${fieldBox} w-auto!`}
      />
      <select
        aria-label={`${label}, hours`}
        value={from === null ? "closed" : "open"}
        onChange={({ target }) =>
          onChange({ date, ...(target.value === "open" ? { from: "09:00", to: "12:00" } : { from: null, to: null }) })
        }
        className={`${fieldBox} w-auto!`}
      >
        <option value="closed">Closed</option>
        <option value="open">Other hours</option>
      </select>
      {from !== null && to !== null && (
        <Times label={label} span={{ from, to }} onChange={(times) => onChange({ date, ...times })} />
      )}
      <IconButton label={`Remove exception ${number}`} onClick={() => onChange(null)}>
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}
