import type { ToolTest } from "@foyer/contract";
import { Section } from "../../../components/page.tsx";
import { Status } from "../../../components/status.tsx";

/** The request of an HTTP tool with masked secrets, and the response. */
export function Exchange({ test }: { test: ToolTest }) {
  const { request, response } = test;
  if (!request) return null;
  return (
    <>
      <Section title="Request">
        <p className="font-mono text-sm">
          <span className="font-medium">{request.method}</span> {request.url}
        </p>
        <Headers label="Headers sent" headers={request.headers} />
        {request.body !== null && <Payload label="Request body" text={request.body} />}
      </Section>
      <Section title="Response">
        {response ? (
          <>
            <Status tone={response.status < 300 ? "fine" : "wrong"}>
              {response.status} {reasons[response.status] ?? ""}
            </Status>
            <Headers label="Headers received" headers={response.headers} />
            <Payload label="Response body" text={response.body} />
          </>
        ) : (
          <p className="text-soft">No response was received.</p>
        )}
      </Section>
    </>
  );
}

const reasons: Record<number, string> = {
  200: "OK",
  201: "Created",
  204: "No content",
  301: "Moved",
  302: "Found",
  400: "Bad request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not found",
  405: "Method not allowed",
  409: "Conflict",
  422: "Unprocessable content",
  429: "Too many requests",
  500: "Server error",
  502: "Bad gateway",
  503: "Unavailable",
  504: "Gateway timeout",
};

function Headers({ label, headers }: { label: string; headers: Record<string, string> }) {
  const entries = Object.entries(headers);
  return (
    <details>
      <summary className="text-soft">
        {label} ({entries.length})
      </summary>
      <dl className="mt-2 grid gap-x-4 gap-y-1 font-mono text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="mb-1 sm:mb-0">{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** A request or response body. JSON is formatted. */
export function Payload({ label, text }: { label: string; text: string }) {
  if (text === "") return <p className="text-soft">Empty.</p>;
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
      tabIndex={0}
      aria-label={label}
      className="max-h-80 overflow-auto rounded-lg border border-line bg-sunken px-3 py-2"
    >
      <pre className="font-mono whitespace-pre-wrap">{prettyPrint(text)}</pre>
    </section>
  );
}

function prettyPrint(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
