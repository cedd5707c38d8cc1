/** @jsxImportSource preact */

import { linkAddress } from "@foyer/contract/rules/safe-address";
import type { Source } from "@foyer/sdk";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { linkTargetFor } from "../markdown/link-target.ts";
import { usePanel } from "../panel/panel-context.ts";

const COLLAPSED_COUNT = 3;

/**
 * The documents that a reply cites, with the numbers of the citations. Shows the first three and a button for the
 * rest.
 */
export function SourceList({ sources }: { sources: readonly Source[] }): JSX.Element {
  const { messages } = usePanel();
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? sources : sources.slice(0, COLLAPSED_COUNT);
  return (
    <ul class="sources" aria-label={messages.sources}>
      {shown.map((source) => (
        <li key={source.n}>
          <SourceChip source={source} />
        </li>
      ))}
      {shown.length < sources.length ? (
        <li>
          <button type="button" class="source" onClick={() => setOpen(true)}>
            {interpolate(messages.moreSources, { count: sources.length - COLLAPSED_COUNT })}
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
    <a class="source" href={href} title={snippet} {...linkTargetFor(href)}>
      {label}
    </a>
  );
}
