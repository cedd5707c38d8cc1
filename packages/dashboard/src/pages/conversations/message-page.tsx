import type { MessagePage } from "@foyer/contract";
import { ChevronRight } from "lucide-react";
import { FactList } from "../../components/fact-list.tsx";
import { JsonBlock } from "../../components/json-block.tsx";

/** The page from which a visitor sent a message. Everything in it comes from the visitor's browser. */
export function MessagePageView({
  page: { url, title, language, context },
  isOpen,
  onToggle,
}: {
  page: MessagePage;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}) {
  return (
    <details
      open={isOpen}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      className="group max-w-[85%] min-w-0 text-sm"
    >
      <summary className="flex min-h-6 items-center gap-1 text-soft select-none pointer-coarse:min-h-11">
        <ChevronRight size={14} aria-hidden className="shrink-0 transition-transform group-open:rotate-90" />
        <span className="min-w-0 truncate">
          <span className="sr-only">Page: </span>
          <bdi>{title ?? url ?? "Page context"}</bdi>
        </span>
      </summary>
      {isOpen && (
        <div className="mt-1 rounded-lg border border-line px-3 py-2.5">
          <FactList
            facts={[
              ["Page title", title],
              ["URL", url && <PageLink key="url" url={url} />],
              ["Page language", language],
              ["Context", context && <JsonBlock key="context" label="Context" value={context} />],
            ]}
          />
        </div>
      )}
    </details>
  );
}

/** The server stores only http and https URLs. */
function PageLink({ url }: { url: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="underline decoration-edge underline-offset-2 hover:decoration-current"
    >
      {url}
    </a>
  );
}
