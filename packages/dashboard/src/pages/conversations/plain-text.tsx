import { memo } from "react";
import { linkParts } from "./link-parts.ts";

/** What somebody wrote, as they wrote it: line breaks kept, nothing of it markup, addresses of the web as links. */
export const PlainText = memo(function PlainText({ text }: { text: string }) {
  return (
    <p dir="auto" className="whitespace-pre-wrap">
      {linkParts(text).map(({ text: part, href }, index) =>
        href === undefined ? (
          part
        ) : (
          <a
            // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their places
            key={index}
            href={href}
            target="_blank"
            rel="noopener noreferrer nofollow"
            className="underline decoration-edge underline-offset-2 hover:decoration-current"
          >
            {part}
          </a>
        ),
      )}
    </p>
  );
});
