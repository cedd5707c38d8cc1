import type { ToolFailure } from "@foyer/contract";
import { useQuery } from "@tanstack/react-query";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery } from "../../data/queries.ts";

/** Shows in one line whether a tool works in chats. */
export function FailureLine({ failure }: { failure: ToolFailure | undefined }) {
  if (!failure) return null;
  const { at, recoveredAt, message } = failure;
  if (recoveredAt) {
    return (
      <span className="whitespace-nowrap text-soft" title={message}>
        Failed <Time at={at} />, works again
      </span>
    );
  }
  return (
    <Status tone="wrong">
      <span>
        Failing since <Time at={at} />
      </span>
    </Status>
  );
}

/** The current error of a tool. */
export function FailureNote({ agentId, toolId }: { agentId: string; toolId: string }) {
  const failure = useQuery(endpointQuery("listToolErrors", { agentId })).data?.[toolId];
  if (!failure || failure.recoveredAt) return null;
  return (
    <div className="mb-6 border-s-2 border-wrong px-4 py-1">
      <p className="font-medium">
        Failed in a chat <Time at={failure.at} />
      </p>
      <p className="text-soft">{failure.message}</p>
    </div>
  );
}
