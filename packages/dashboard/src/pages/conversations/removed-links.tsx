import { isAtLeast, minimumRole } from "@foyer/contract/rules/roles";
import { FoyerError, type Message } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import { useId, useRef } from "react";
import { Button } from "../../components/button.tsx";
import { useAgentEdits } from "../../data/agent-edits.ts";
import { endpointQuery, queryClient, useEndpointMutation } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";

type Links = NonNullable<Message["removedLinks"]>;

const editorRole = minimumRole("PATCH", "/agents/:id");

/** The hosts to which links were removed from a reply. Members who can edit the agent can allow each of them. */
export function RemovedLinks({ agentId, links = [] }: { agentId: string; links: Links | undefined }) {
  if (links.length === 0) return null;
  return (
    <ul aria-label="Removed links" className="grid gap-2 text-sm">
      {links.map(({ host }) => (
        <RemovedLink key={host} agentId={agentId} host={host} />
      ))}
    </ul>
  );
}

function RemovedLink({ agentId, host }: { agentId: string; host: string }) {
  const id = useId();
  const sentence = useRef<HTMLParagraphElement>(null);
  const role = useQuery(endpointQuery("getSession")).data?.role ?? "member";
  const allowed = useQuery(endpointQuery("getAgent", { id: agentId })).data?.linkHosts;
  const { allow, isAllowing } = useAllow(agentId, host);
  const isAllowed = allowed?.some((known) => host === known || host.endsWith(`.${known}`)) ?? false;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <p ref={sentence} id={id} tabIndex={-1} className="min-w-0 text-soft wrap-anywhere">
        A link to <bdi className="text-ink">{host}</bdi> was removed.
        {isAllowed && " Links to this host are allowed now."}
      </p>
      {!isAllowed && allowed && isAtLeast(role, editorRole) && (
        <Button
          aria-describedby={id}
          isBusy={isAllowing}
          // The button disappears, so the focus moves to the sentence that replaces it.
          onClick={() => allow(() => sentence.current?.focus())}
        >
          Allow links to this host
        </Button>
      )}
    </li>
  );
}

/** Adds the host to those that the agent may link to. */
function useAllow(agentId: string, host: string) {
  const save = useEndpointMutation("updateAgent", {
    edits: useAgentEdits(agentId),
    done: `Links to ${host} are allowed now`,
  });
  async function allow(onAllowed: () => void) {
    try {
      // The list is replaced as a whole, so it has to include what other members have added.
      const agent = await queryClient.fetchQuery({ ...endpointQuery("getAgent", { id: agentId }), staleTime: 0 });
      await save.mutateAsync({ id: agentId, body: { linkHosts: [...agent.linkHosts, host] } });
      onAllowed();
    } catch (error) {
      // The mutation reports all errors except those of fields.
      const [problem] = error instanceof FoyerError ? error.details : [];
      if (problem) notify(`Allowed link hosts: ${problem.message}`, { isWrong: true });
    }
  }
  return { allow: (onAllowed: () => void) => void allow(onAllowed), isAllowing: save.isPending };
}
