/** @jsxImportSource preact */
import { linkAddress } from "@foyer/contract/rules/safe-address";
import type { Source } from "@foyer/sdk";
import type { ComponentChildren, JSX } from "preact";
import { linkTargetFor } from "../markdown/link-target.ts";

type SourceLinkProps = { source: Source | undefined; class: string; children: ComponentChildren };

/** A link to the document of a cited passage, or only its text if the document has no address. */
export function SourceLink({ source, ...rest }: SourceLinkProps): JSX.Element {
  const href = source?.url ? linkAddress(source.url) : null;
  const Tag = href ? "a" : "span";
  return <Tag {...rest} title={source?.snippet} {...(href ? { href, ...linkTargetFor(href) } : {})} />;
}
