import type { Delivery } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Button, ButtonLink } from "../../../components/button.tsx";
import { ErrorState, SkeletonRows } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { endpointQuery, useEndpointMutation } from "../../../data/queries.ts";
import { useRole } from "../../../data/use-role.ts";

/** The deliveries of a test submission with their last attempts, updated until all are done. */
export function TestDelivery({
  submissionId,
  agentId,
  onClose,
}: {
  submissionId: string;
  agentId: string;
  onClose: () => void;
}) {
  const isOpen = (deliveries: readonly Delivery[]) =>
    deliveries.some(({ state }) => state === "pending" || state === "waiting");
  const { data, error, refetch } = useQuery({
    ...endpointQuery("getSubmission", { id: submissionId }),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.deliveries) ? 1_000 : false),
  });
  const remove = useEndpointMutation("deleteSubmission", {
    changes: ["listSubmissions"],
    done: "Test submission deleted",
  });
  const { isAdmin } = useRole();
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!data) return <SkeletonRows count={2} />;
  return (
    <>
      <div role="status" className="grid">
        {data.deliveries.length === 0 && (
          <p>The submission was saved. This form has no webhook or actions to deliver it to.</p>
        )}
        {data.deliveries.map((delivery) => (
          <Outcome key={delivery.id} delivery={delivery} />
        ))}
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        {isAdmin && (
          <Button
            variant="danger"
            isBusy={remove.isPending}
            onClick={() => remove.mutate({ id: submissionId }, { onSuccess: onClose })}
          >
            Delete test submission
          </Button>
        )}
        <ButtonLink to="/agents/$agentId/forms/$submissionId" params={{ agentId, submissionId }}>
          View submission
        </ButtonLink>
      </div>
    </>
  );
}

const names: Record<string, string> = {
  webhook: "Webhook",
  team_chat: "Team chat",
  slack: "Team chat",
  email: "Email",
};

function Outcome({ delivery: { purpose, type, target, state, attempts } }: { delivery: Delivery }) {
  const last = attempts.at(-1);
  const words = { delivered: "Delivered", failed: "Failed", pending: "Sending", waiting: "Waiting for its turn" };
  const tone = { delivered: "fine", failed: "wrong", pending: "live", waiting: "plain" } as const;
  const isRetried = state === "pending" && last?.error;
  return (
    <div className="grid gap-1 border-b border-line py-3 last:border-0">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-medium">{purpose === "webhook" ? "Webhook" : (names[type] ?? type)}</span>
        <span className="flex-1" />
        <Status tone={isRetried ? "warning" : tone[state]}>{isRetried ? "Failed, retrying" : words[state]}</Status>
      </div>
      {type !== "email" && <p className="font-mono text-sm text-soft">{target}</p>}
      {last && (
        <p className="text-sm text-soft">
          {last.status !== null && `HTTP ${last.status}, `}
          {last.durationMs} ms{last.error ? `: ${last.detail ?? last.error}` : ""}
        </p>
      )}
      {last?.response && (
        <p className="max-h-24 overflow-hidden rounded-md bg-sunken px-2 py-1 font-mono text-sm whitespace-pre-wrap">
          {last.response.slice(0, 500)}
        </p>
      )}
    </div>
  );
}
