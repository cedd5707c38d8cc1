import { memo } from "react";
import { Highlighted } from "./highlighted.tsx";
import { linkParts } from "./link-parts.ts";

/** A visitor's text: line breaks are kept, markup is plain text, and URLs are links. `query` is highlighted. */
export const PlainText = memo(function PlainText({ text, query = "" }: { text: string; query?: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      {linkParts(text).map(({ text: part, href }, index) =>
        href === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their positions
          <Highlighted key={index} text={part} query={query} />
        ) : (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their positions
            key={index}
            href={href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="underline decoration-edge underline-offset-2 hover:decoration-current"
          >
            <Highlighted text={part} query={query} />
          </a>
        ),
      )}
    </p>
  );
});
