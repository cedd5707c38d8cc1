import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { ButtonLink } from "../../components/button.tsx";
import { Logo } from "../../components/logo.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { endpointQuery, refresh } from "../../data/queries.ts";
import { serverPath } from "../../data/server-address.ts";
import type { OnboardingAgent } from "./onboarding-steps.ts";
import { StepFrame } from "./step-frame.tsx";

const POLL_MS = 2_000;

/** Waits for the first conversation of a visitor. The user's own test chats do not count. */
export function ArriveStep({ agent }: { agent: OnboardingAgent }) {
  const found = useQuery({
    ...endpointQuery("listConversations", { agentId: agent.id, test: false, limit: 100 }),
    refetchInterval: ({ state }) => (state.data?.data.length ? false : POLL_MS),
    staleTime: 0,
  });
  // Sorted newest first.
  const first = found.data?.data.at(-1) ?? null;
  const hasArrived = first !== null;
  useEffect(() => {
    // Marks the last steps as done.
    if (hasArrived) void refresh("listConversations");
  }, [hasArrived]);
  return (
    <StepFrame
      title={first ? "Your first conversation" : "Waiting for the first conversation"}
      description={
        first
          ? `${agent.name} is live. Every conversation appears under Conversations.`
          : "Open a page that includes the line and ask something in the chat. The conversation appears here automatically. You can leave this page at any time."
      }
      step="arrive"
      agentId={agent.id}
      next={null}
    >
      <div aria-live="polite">
        {first ? (
          <Arrived agentId={agent.id} conversation={first} />
        ) : (
          <div className="flex min-h-20 items-center gap-4 rounded-lg border border-line bg-raised px-5 py-4">
            <Logo size={32} isLit={false} />
            <div>
              <Status tone={found.isError ? "wrong" : "live"}>
                {found.isError ? "Not connected" : "Waiting for a message…"}
              </Status>
              <p className="text-soft">
                {found.isError ? found.error.message : "Messages from the demo page count; your own test chat doesn't."}
              </p>
            </div>
          </div>
        )}
      </div>
      {first ? <Next agentId={agent.id} /> : <Troubleshooting agent={agent} />}
    </StepFrame>
  );
}

function Arrived({
  agentId,
  conversation,
}: {
  agentId: string;
  conversation: { id: string; title: string; createdAt: string };
}) {
  return (
    <div className="flex min-h-20 flex-wrap items-center gap-4 rounded-lg border border-ink bg-raised px-5 py-4">
      <Logo size={32} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-medium">{conversation.title || "Untitled conversation"}</p>
        <p className="text-soft">
          <Time at={conversation.createdAt} />
        </p>
      </div>
      <ButtonLink
        variant="main"
        to="/agents/$agentId/conversations/$conversationId"
        params={{ agentId, conversationId: conversation.id }}
      >
        Open conversation
      </ButtonLink>
    </div>
  );
}

function Troubleshooting({ agent }: { agent: OnboardingAgent }) {
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">Not working?</h3>
      <ul className="grid max-w-[60ch] list-disc gap-1 ps-5 text-soft">
        <li>
          Try{" "}
          <a
            href={serverPath(`/demo/${agent.id}`)}
            target="_blank"
            rel="noopener"
            className="text-ink underline underline-offset-2"
          >
            the demo page
          </a>
          . If the chat works there, your page is missing the line or is served from a cache.
        </li>
        <li>
          If your site uses a Content-Security-Policy, add {location.origin} to script-src, connect-src and img-src.
        </li>
        <li>
          If the agent only works on certain sites,{" "}
          <Link
            to="/agents/$agentId/embed"
            params={{ agentId: agent.id }}
            className="text-ink underline underline-offset-2"
          >
            make sure yours is on the list
          </Link>
          .
        </li>
      </ul>
    </div>
  );
}

const more = [
  { to: "/agents/$agentId/tools", name: "Tools", text: "Let it look things up and show forms." },
  { to: "/agents/$agentId/triggers", name: "Triggers", text: "Let it start the conversation at the right moment." },
  { to: "/agents/$agentId/appearance", name: "Appearance", text: "Set its color and greeting." },
] as const;

function Next({ agentId }: { agentId: string }) {
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">Next steps</h3>
      <ul className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3">
        {more.map(({ to, name, text }) => (
          <li key={to} className="relative bg-raised p-4 hover:bg-hover">
            <Link to={to} params={{ agentId }} className="font-medium after:absolute after:inset-0">
              {name}
            </Link>
            <p className="text-soft">{text}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}
