import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Command } from "cmdk";
import type { ReactNode } from "react";
import { lastAgentId } from "../data/last-agent.ts";
import { ask } from "../data/queries.ts";
import { agentPages, settingsPages } from "./destinations.tsx";

const item =
  "flex min-h-10 items-center gap-2 rounded-md px-3 aria-selected:bg-sunken data-[disabled=true]:text-edge cursor-pointer";

/** ⌘K: any page of the current agent, any agent, any settings, by a few letters. */
export function CommandMenu({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const { agentId } = useParams({ strict: false });
  const agents = useQuery(ask("listAgents")).data ?? [];
  const current = agents.find(({ id }) => id === (agentId ?? lastAgentId())) ?? agents[0];
  const go = (move: () => void) => () => {
    onClose();
    move();
  };
  return (
    <Command.Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      label="Go to"
      overlayClassName="fixed inset-0 z-40 bg-[#1c191766]"
      contentClassName="appear fixed inset-x-4 top-[12vh] z-50 mx-auto max-w-lg overflow-hidden rounded-lg border border-line bg-raised"
    >
      <Command.Input
        placeholder="Go to a page or an agent"
        className="h-12 w-full border-b border-line bg-transparent px-4 outline-none"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-2">
        <Command.Empty className="px-3 py-6 text-soft">Nothing has that name.</Command.Empty>
        {current && (
          <Group heading={current.name}>
            {agentPages.map(({ name, icon, to }) => (
              <Command.Item
                key={name}
                value={`${current.name} ${name}`}
                className={item}
                onSelect={go(() => navigate({ to, params: { agentId: current.id } }))}
              >
                {icon} {name}
              </Command.Item>
            ))}
          </Group>
        )}
        <Group heading="Agents">
          {agents.map(({ id, name }) => (
            <Command.Item
              key={id}
              value={`agent ${name} ${id}`}
              className={item}
              onSelect={go(() => navigate({ to: "/agents/$agentId", params: { agentId: id } }))}
            >
              {name}
            </Command.Item>
          ))}
          <Command.Item value="make a new agent" className={item} onSelect={go(() => navigate({ to: "/start" }))}>
            Make an agent
          </Command.Item>
        </Group>
        <Group heading="Settings">
          {settingsPages.map(({ name, to }) => (
            <Command.Item key={to} value={`settings ${name}`} className={item} onSelect={go(() => navigate({ to }))}>
              {name}
            </Command.Item>
          ))}
        </Group>
      </Command.List>
    </Command.Dialog>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-soft"
    >
      {children}
    </Command.Group>
  );
}
