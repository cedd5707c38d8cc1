/** @jsxImportSource preact */

import { linkAddress } from "@foyer/contract/rules/safe-address";
import type { Source } from "@foyer/sdk";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { targetOf } from "../markdown/link-target.ts";
import { usePanel } from "../panel/panel-context.ts";

const SHOWN = 3;

/** The documents that a reply cites, with the numbers of the citations. The first three, and a button for the rest. */
export function SourceList({ sources }: { sources: readonly Source[] }): JSX.Element {
  const { words } = usePanel();
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? sources : sources.slice(0, SHOWN);
  return (
    <ul class="sources" aria-label={words.sources}>
      {shown.map((source) => (
        <li key={source.n}>
          <SourceChip source={source} />
        </li>
      ))}
      {shown.length < sources.length ? (
        <li>
          <button type="button" class="source" onClick={() => setOpen(true)}>
            {interpolate(words.moreSources, { count: sources.length - SHOWN })}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

function SourceChip({ source: { n, title, url, snippet } }: { source: Source }): JSX.Element {
  const href = url === null ? null : linkAddress(url);
  const label = (
    <>
      <span class="citation">{n}</span> <bdi>{title}</bdi>
    </>
  );
  if (href === null) {
    return (
      <span class="source" title={snippet}>
        {label}
      </span>
    );
  }
  return (
    <a class="source" href={href} title={snippet} {...targetOf(href)}>
      {label}
    </a>
  );
}
