import { searchTextLimits } from "@foyer/contract/rules/limits";
import * as Dialog from "@radix-ui/react-dialog";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { Command } from "cmdk";
import { type ReactNode, useState } from "react";
import { overlay } from "../components/dialog.tsx";
import { useReturnFocus } from "../components/use-return-focus.ts";
import { readLastAgentId } from "../data/last-agent.ts";
import { endpointQuery } from "../data/queries.ts";
import { type Entry, useEntryGroups } from "./command-search.ts";
import { agentPages } from "./destinations.tsx";

/**
 * The ⌘K menu: opens any page, agent or setting, runs actions, and searches the content of the current agent. Mounted only while it
 * is open.
 */
export function CommandMenu({ onClose }: { onClose: () => void }) {
  const returnFocus = useReturnFocus(true);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlay} />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={returnFocus}
          className="appear fixed inset-x-4 top-[12vh] z-50 mx-auto max-w-lg overflow-hidden rounded-lg border border-line bg-raised"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <Search onClose={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Search({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const { agentId } = useParams({ strict: false });
  const agents = useQuery(endpointQuery("listAgents")).data ?? [];
  const current = agents.find(({ id }) => id === (agentId ?? readLastAgentId())) ?? agents[0];
  const groups = useEntryGroups(text, agents, current);
  const open = ({ link, run }: Entry) => {
    onClose();
    if (run) run();
    else void navigate(link);
  };
  return (
    <Command label="Search" shouldFilter={false}>
      <Command.Input
        value={text}
        onValueChange={setText}
        maxLength={searchTextLimits.documents}
        placeholder="Search or go to a page"
        className="h-12 w-full border-b border-line bg-transparent px-4 outline-none"
      />
      <Command.List label="Results" className="max-h-[50vh] overflow-y-auto p-2">
        <Command.Empty className="px-3 py-6 text-soft">
          Nothing found. The search covers pages, agents, tools, triggers, documents, conversations, recent submissions
          and actions.
        </Command.Empty>
        {groups.map(({ heading, entries }) => (
          <Command.Group
            key={heading}
            heading={heading}
            className="[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-sm [&_[cmdk-group-heading]]:text-soft"
          >
            {entries.map((entry) => (
              <Command.Item
                key={entry.id}
                value={`${heading} ${entry.id}`}
                onSelect={() => open(entry)}
                className="flex min-h-10 cursor-pointer items-center gap-2 rounded-md px-3 aria-selected:bg-selected"
              >
                {chooseIcon(entry)}
                <span className="min-w-0 flex-1 truncate">{entry.label}</span>
                {entry.hint && <span className="shrink-0 text-sm text-soft">{entry.hint}</span>}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

function chooseIcon({ id }: Entry): ReactNode {
  return agentPages.find(({ to }) => to === id)?.icon;
}
