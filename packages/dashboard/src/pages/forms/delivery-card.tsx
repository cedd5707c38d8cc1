import type { Delivery, DeliveryAttempt } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { ResponseText } from "./client-report.tsx";
import { Countdown } from "./countdown.tsx";
import { deliveryName, describeAttempt, describeDelivery, formatDuration } from "./submission-labels.ts";

/** A delivery of a submission with all its attempts, newest first. */
export function DeliveryCard({ delivery }: { delivery: Delivery }) {
  const { state, attempts, nextAttemptAt } = delivery;
  const { word, tone } = describeDelivery(delivery);
  const name = deliveryName(delivery);
  return (
    <article aria-label={name} className="@container min-w-0 rounded-lg border border-line">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-1 px-4 py-3">
        <div className="min-w-0 flex-1 basis-52">
          <h3>{name}</h3>
          <p className="text-soft">
            <Target delivery={delivery} />
          </p>
        </div>
        <div className="grid gap-0.5 sm:justify-items-end">
          <Status tone={tone}>{word}</Status>
          {state === "pending" && nextAttemptAt && attempts.length > 0 && (
            <p className="text-sm text-soft">
              Attempt {attempts.length + 1} <Countdown to={nextAttemptAt} />
            </p>
          )}
        </div>
      </header>
      {attempts.length > 0 && <AttemptList name={name} attempts={attempts} />}
    </article>
  );
}

/** The attempts at a delivery, newest first. If the newest one failed, its response is shown. */
export function AttemptList({ name, attempts }: { name: string; attempts: readonly DeliveryAttempt[] }) {
  return (
    <ol aria-label={`Attempts, ${name}`} className="border-t border-line">
      {attempts.toReversed().map((attempt, index) => (
        <Attempt key={attempt.number} name={name} attempt={attempt} isOpen={index === 0 && attempt.error !== null} />
      ))}
    </ol>
  );
}

/** Resolves member ids, by which email deliveries identify their recipients. */
function Target({ delivery: { type, target } }: { delivery: Delivery }) {
  const isMail = type === "email";
  const { data: members = [] } = useQuery({ ...endpointQuery("listMembers"), enabled: isMail });
  if (!isMail) return target;
  const findEmail = (id: string) => members.find((member) => member.id === id)?.email ?? id;
  return target.split(", ").map(findEmail).join(", ");
}

function Attempt({ name, attempt, isOpen }: { name: string; attempt: DeliveryAttempt; isOpen: boolean }) {
  const { number, detail, response, redirect } = attempt;
  const hasMore = Boolean(detail || response || redirect);
  if (!hasMore) {
    return (
      <li className="border-b border-line ps-10 pe-4 last:border-b-0">
        <AttemptLine attempt={attempt} />
      </li>
    );
  }
  return (
    <li className="border-b border-line last:border-b-0">
      <details className="group" open={isOpen}>
        <summary className="flex items-start gap-2 px-4 hover:bg-hover">
          <ChevronRight size={16} aria-hidden className="mt-2.5 shrink-0 text-soft group-open:rotate-90" />
          <AttemptLine attempt={attempt} />
        </summary>
        <div className="ps-10 pe-4 pb-3">
          {redirect && (
            <p className="text-soft">
              First response: HTTP {redirect.status}, to {redirect.location}
            </p>
          )}
          {detail && <p className="text-soft">{detail}</p>}
          {response ? (
            <ResponseText label={`${name}, response to attempt ${number}`} text={response} />
          ) : (
            response === "" && <p className="text-soft">The response had no body.</p>
          )}
        </div>
      </details>
    </li>
  );
}

function AttemptLine({ attempt }: { attempt: DeliveryAttempt }) {
  const { number, startedAt, durationMs, error } = attempt;
  return (
    <div className="grid min-h-9 min-w-0 flex-1 grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-3 py-1.5 @xl:grid-cols-[80px_minmax(0,1fr)_70px_180px]">
      <span className="text-soft">Attempt {number}</span>
      <span className={error === null ? "" : "text-wrong"}>{describeAttempt(attempt)}</span>
      <span className="text-end text-soft">{formatDuration(durationMs)}</span>
      <span className="col-span-full text-sm text-soft @xl:col-span-1 @xl:text-end @xl:text-base">
        <Time at={startedAt} isExact />
      </span>
    </div>
  );
}
