import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { Lamp } from "../../components/lamp.tsx";
import { Status } from "../../components/status.tsx";
import { Time } from "../../components/time.tsx";
import { ask } from "../../data/queries.ts";
import type { StartAgent } from "./start-page.tsx";
import { firstOfVisitors } from "./start-steps.ts";
import { StepFrame } from "./step-frame.tsx";

const POLL_MS = 2_000;

/** Waits, without being asked, for the first conversation of somebody else. */
export function ArriveStep({ agent }: { agent: StartAgent }) {
  const email = useQuery(ask("getSession")).data?.user.email ?? "";
  const found = useQuery({
    ...ask("listConversations", { agentId: agent.id, limit: 100 }),
    refetchInterval: ({ state }) => (firstOfVisitors(state.data?.data ?? [], email) ? false : POLL_MS),
    staleTime: 0,
  });
  const first = firstOfVisitors(found.data?.data ?? [], email);
  return (
    <StepFrame
      title={first ? "The first conversation is here" : "Waiting for the first conversation"}
      description={
        first
          ? `${agent.name} works. From now on every conversation is found under Conversations.`
          : "Open a page that has the line, and ask something in the chat. It appears here by itself; you can also leave."
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
            <Lamp size={32} isLit={false} />
            <div>
              <Status tone={found.isError ? "wrong" : "live"}>{found.isError ? "Not connected" : "Listening"}</Status>
              <p className="text-soft">
                {found.isError ? found.error.message : "Your own trial does not count; the demo page does."}
              </p>
            </div>
          </div>
        )}
      </div>
      {first ? <Next agentId={agent.id} /> : <NothingComes agent={agent} />}
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
      <Lamp size={32} />
      <div className="min-w-0 flex-1 basis-40">
        <p className="font-medium">{conversation.title || "A conversation"}</p>
        <p className="text-soft">
          <Time at={conversation.createdAt} />
        </p>
      </div>
      <ButtonLink
        look="main"
        {...{ to: "/agents/$agentId/conversations/$conversationId" }}
        params={{ agentId, conversationId: conversation.id }}
      >
        Read it
      </ButtonLink>
    </div>
  );
}

function NothingComes({ agent }: { agent: StartAgent }) {
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">Nothing comes?</h3>
      <ul className="grid max-w-[60ch] list-disc gap-1 ps-5 text-soft">
        <li>
          Try it on{" "}
          <a
            href={`/demo/${agent.id}`}
            target="_blank"
            rel="noopener"
            className="text-ink underline underline-offset-2"
          >
            the demo page
          </a>
          . If that works, the line is missing on your page, or the page is an older copy from a cache.
        </li>
        <li>A page with a Content-Security-Policy has to allow scripts from and connections to {location.origin}.</li>
        <li>
          Where only certain sites are allowed,{" "}
          <Link
            to="/agents/$agentId/embed"
            params={{ agentId: agent.id }}
            className="text-ink underline underline-offset-2"
          >
            yours has to be among them
          </Link>
          .
        </li>
      </ul>
    </div>
  );
}

const more = [
  { to: "/agents/$agentId/tools", name: "Tools", text: "Let it look things up, and show forms." },
  { to: "/agents/$agentId/triggers", name: "Triggers", text: "Let it speak first, at the right moment." },
  { to: "/agents/$agentId/appearance", name: "Appearance", text: "Give it your colour and greeting." },
] as const;

function Next({ agentId }: { agentId: string }) {
  return (
    <div className="grid gap-2">
      <h3 className="font-medium">What next</h3>
      <ul className="grid gap-px overflow-hidden rounded-lg border border-line bg-line sm:grid-cols-3">
        {more.map(({ to, name, text }) => (
          <li key={to} className="relative bg-raised p-4 hover:bg-sunken">
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
