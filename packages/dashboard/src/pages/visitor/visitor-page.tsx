import type { VisitorProfile } from "@foyer/contract";
import { useSuspenseQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { FileText, Globe, MessageSquare } from "lucide-react";
import type { ReactNode } from "react";
import { type Fact, FactList } from "../../components/fact-list.tsx";
import { Page } from "../../components/page.tsx";
import { pluralize } from "../../components/plural.ts";
import { ratingText } from "../../components/rating-text.ts";
import { Time } from "../../components/time.tsx";
import { toolTitle } from "../../components/tool-title.ts";
import { visitorFacts } from "../../components/visitor-identity.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { toTimeline } from "./timeline.ts";
import { VisitorNotes } from "./visitor-notes.tsx";

const route = getRouteApi("/shell/visitors/$visitorKey");

/** Everything that the team knows about one visitor, on one time axis. */
export function VisitorPage() {
  const { visitorKey } = route.useParams();
  const { data: visitor } = useSuspenseQuery(endpointQuery("getVisitor", { key: visitorKey }));
  const facts: Fact[] = [
    ...visitorFacts(visitor),
    ["Device", visitor.context?.device],
    ["Language", visitor.context?.language],
    ["Country", visitor.context?.country],
    ["First seen", <Time key="first" at={visitor.firstSeenAt} isExact />],
    ["Last seen", <Time key="last" at={visitor.lastSeenAt} isExact />],
  ];
  return (
    <Page isWide title={nameOf(visitor)} description={describeConversations(visitor)}>
      <div className="grid gap-x-12 gap-y-8 lg:grid-cols-[minmax(0,1fr)_320px]">
        <section aria-labelledby="visitor-timeline" className="min-w-0 max-lg:order-2">
          <h2 id="visitor-timeline" className="mb-2 text-lg">
            Timeline
          </h2>
          <Timeline visitor={visitor} />
        </section>
        <div className="grid content-start gap-8">
          <section aria-labelledby="visitor-facts">
            <h2 id="visitor-facts" className="mb-2 text-lg">
              Details
            </h2>
            <FactList facts={facts} />
          </section>
          <VisitorNotes visitorKey={visitorKey} notes={visitor.notes} />
        </div>
      </div>
    </Page>
  );
}

function nameOf({ userName, userEmail, userId, visitor }: VisitorProfile): string {
  return visitor?.name ?? userName ?? visitor?.email ?? userEmail ?? userId ?? "Anonymous visitor";
}

function describeConversations({ conversationCount, conversations }: VisitorProfile): string {
  const all = pluralize(conversationCount, "conversation");
  return conversationCount > conversations.length ? `${all}. The newest ${conversations.length} are listed.` : all;
}

function Timeline({ visitor }: { visitor: VisitorProfile }) {
  return (
    <ol className="border-t border-line">
      {toTimeline(visitor).map((entry) => {
        const { at } = entry;
        if (entry.kind === "conversation") {
          const { id, agentId, agentName, title, messageCount, isTest, rating } = entry.conversation;
          return (
            <Entry key={`c${id}`} icon={<MessageSquare size={16} aria-hidden />} at={at}>
              <Link
                to="/agents/$agentId/conversations/$conversationId"
                params={{ agentId, conversationId: id }}
                className="font-medium underline-offset-2 wrap-anywhere hover:underline"
              >
                {title || "Conversation"}
              </Link>
              <p className="text-sm text-soft">
                {agentName}, {pluralize(messageCount, "message")}
                {isTest && ", test chat"}
              </p>
              {rating && (
                <p className="text-sm wrap-anywhere">
                  {ratingText(rating.score)}
                  {rating.comment && `: ${rating.comment}`}
                </p>
              )}
            </Entry>
          );
        }
        if (entry.kind === "submission") {
          const { id, agentId, agentName, toolName } = entry.submission;
          return (
            <Entry key={`s${id}`} icon={<FileText size={16} aria-hidden />} at={at}>
              <Link
                to="/agents/$agentId/forms/$submissionId"
                params={{ agentId, submissionId: id }}
                className="font-medium underline-offset-2 wrap-anywhere hover:underline"
              >
                {toolTitle(toolName)}
              </Link>
              <p className="text-sm text-soft">Form submitted to {agentName}</p>
            </Entry>
          );
        }
        return (
          <Entry key={`p${at}${entry.page.url}`} icon={<Globe size={16} aria-hidden />} at={at}>
            <p className="wrap-anywhere">{entry.page.title ?? entry.page.url}</p>
            {entry.page.title && <p className="text-sm wrap-anywhere text-soft">{entry.page.url}</p>}
          </Entry>
        );
      })}
    </ol>
  );
}

function Entry({ icon, at, children }: { icon: ReactNode; at: string; children: ReactNode }) {
  return (
    <li className="flex items-start gap-3 border-b border-line py-2.5">
      <span className="pt-0.5 text-soft">{icon}</span>
      <div className="min-w-0 flex-1">{children}</div>
      <span className="shrink-0 text-sm text-soft">
        <Time at={at} />
      </span>
    </li>
  );
}
