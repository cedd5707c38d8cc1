import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Skeleton } from "../../../components/states.tsx";
import { Status } from "../../../components/status.tsx";
import { Time } from "../../../components/time.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import type { AgentForm } from "../use-all-tools.ts";

type Submission = Output<"listSubmissions">["submissions"][number];

const outcomes: Record<Submission["status"], { tone: "plain" | "fine" | "wrong"; text: string }> = {
  pending: { tone: "plain", text: "Delivering" },
  submitted: { tone: "plain", text: "Recorded" },
  webhook_success: { tone: "fine", text: "Delivered" },
  webhook_failed: { tone: "wrong", text: "Failed" },
  client_success: { tone: "fine", text: "Handled by your page" },
  client_failed: { tone: "wrong", text: "Failed on your page" },
  success: { tone: "fine", text: "Delivered" },
  failed: { tone: "wrong", text: "Failed" },
};

/** The delivery status of a form's newest submission, with a link to it. */
export function LastDelivery({ agent, tool }: AgentForm) {
  const { data, error } = useQuery(endpointQuery("listSubmissions", { toolId: tool.id, limit: 1 }));
  if (error) return <span className="text-soft">Unknown</span>;
  if (!data) return <Skeleton className="h-4 w-28" />;
  const [last] = data.submissions;
  if (!last) return <span className="text-soft">No submission yet</span>;
  return <Outcome agent={agent} last={last} />;
}

/** The status of a submission that is not delivered yet does not say whether an attempt failed, so its attempts are read. */
function Outcome({ agent, last }: Pick<AgentForm, "agent"> & { last: Submission }) {
  const detail = useQuery({ ...endpointQuery("getSubmission", { id: last.id }), enabled: last.status === "pending" });
  const error = detail.data?.deliveries.find(({ purpose }) => purpose === "webhook")?.attempts.at(-1)?.error;
  const { tone, text } = error ? { tone: "warning" as const, text: `Retrying: ${error}` } : outcomes[last.status];
  return (
    <Link
      to="/agents/$agentId/forms/$submissionId"
      params={{ agentId: agent.id, submissionId: last.id }}
      className="underline-offset-2 hover:underline"
    >
      <Status tone={tone}>
        {text} <span className="text-soft">{<Time at={last.createdAt} />}</span>
      </Status>
    </Link>
  );
}
