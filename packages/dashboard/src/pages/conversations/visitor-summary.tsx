import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { pluralize } from "../../components/plural.ts";
import { endpointQuery } from "../../data/queries.ts";

/** The team's notes about the visitor of a conversation, and the way to everything else about them. */
export function VisitorSummary({ visitorKey }: { visitorKey: string }) {
  const { data: visitor } = useQuery(endpointQuery("getVisitor", { key: visitorKey }));
  const notes = visitor?.notes ?? [];
  return (
    <div className="grid gap-2">
      {notes.length > 0 && (
        <>
          <h3 className="text-sm font-normal text-soft">Notes about the visitor</h3>
          <ul className="grid gap-2">
            {notes.map(({ id, text }) => (
              <li
                key={id}
                className="rounded-lg border border-dashed border-edge px-3 py-2 whitespace-pre-wrap wrap-anywhere"
              >
                {text}
              </li>
            ))}
          </ul>
        </>
      )}
      <Link to="/visitors/$visitorKey" params={{ visitorKey }} className="underline underline-offset-2">
        Visitor page{visitor && `, ${pluralize(visitor.conversationCount, "conversation")}`}
      </Link>
    </div>
  );
}
