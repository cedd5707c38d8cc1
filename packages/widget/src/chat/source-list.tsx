/** @jsxImportSource preact */

import type { Source } from "@foyer/sdk";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { usePanel } from "../panel/panel-context.ts";
import { SourceLink } from "./source-link.tsx";

const COLLAPSED_COUNT = 3;

/**
 * The documents that a reply cites, each with the numbers of its citations. Shows the first three and a button for the
 * rest.
 */
export function SourceList({ sources }: { sources: readonly Source[] }): JSX.Element {
  const { messages } = usePanel();
  const [isOpen, setOpen] = useState(false);
  const documents = groupByDocument(sources);
  const shared = measureShared(documents.map(([{ title }]) => title));
  const shown = isOpen ? documents : documents.slice(0, COLLAPSED_COUNT);
  return (
    <ul class="sources" aria-label={messages.sources}>
      {shown.map((passages) => (
        <li key={passages[0].n}>
          <SourceChip passages={passages} shared={shared} />
        </li>
      ))}
      {shown.length < documents.length ? (
        <li>
          <button type="button" class="source" onClick={() => setOpen(true)}>
            {interpolate(messages.moreSources, { count: documents.length - COLLAPSED_COUNT })}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

/** The cited passages of one document. */
type Passages = [Source, ...Source[]];

function groupByDocument(sources: readonly Source[]): Passages[] {
  const documents = new Map<string, Passages>();
  for (const source of sources) {
    const key = `${source.title}\n${source.url}`;
    const known = documents.get(key);
    if (known) known.push(source);
    else documents.set(key, [source]);
  }
  return [...documents.values()];
}

/** How many characters all titles share at their start and their end, such as the name of the site. */
type Shared = { start: number; end: number };

function measureShared([first = "", ...others]: string[]): Shared {
  // Whole parts only, so that no title is cut within a word.
  const start = /^.+?\s[-–—|·:]\s/.exec(first)?.[0] ?? "";
  const end = /\s[-–—|·:]\s(?:(?!\s[-–—|·:]\s).)+$/.exec(first)?.[0] ?? "";
  const isShared = others.length > 0;
  return {
    start: isShared && others.every((title) => title.startsWith(start)) ? start.length : 0,
    end: isShared && others.every((title) => title.endsWith(end)) ? end.length : 0,
  };
}

function SourceChip({ passages, shared }: { passages: Passages; shared: Shared }): JSX.Element {
  const [{ title }] = passages;
  return (
    <SourceLink source={passages[0]} class="source">
      {passages.map(({ n }) => (
        <span key={n} class="citation">
          {n}
        </span>
      ))}
      <bdi>{title.slice(shared.start, title.length - shared.end) || title}</bdi>
    </SourceLink>
  );
}
