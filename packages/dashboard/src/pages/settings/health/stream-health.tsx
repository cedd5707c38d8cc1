import { queryOptions, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { CopyField } from "../../../components/copy-field.tsx";
import { SegmentedControl } from "../../../components/segmented-control.tsx";
import { ErrorState, Skeleton } from "../../../components/states.tsx";
import { request } from "../../../data/api.ts";
import { HealthCheck } from "./health-check.tsx";
import { judgeArrivals, measureArrivals, type StreamVerdict } from "./stream-test.ts";

export const streamTest = queryOptions({
  queryKey: ["doctorStream"],
  queryFn: async ({ signal }) => judgeArrivals(await measureArrivals(await request("/doctor/stream", { signal }))),
  // An interrupted stream is a result, so the query is not retried.
  retry: false,
  gcTime: 0,
});

const verdicts = {
  flows: { state: "ok", title: "Streaming works", detail: "Visitors see replies as they are written.", fix: null },
  held: {
    state: "failure",
    title: "A proxy buffers streams",
    detail: "All events arrived at once, so visitors wait and then see the whole reply.",
    fix: "Turn off buffering in the proxy in front of the server:",
  },
  broken: {
    state: "failure",
    title: "Streams are cut off",
    detail: "Not all five events arrived, so replies stop midway and have to be resumed.",
    fix: "Raise the timeout of the proxy in front of the server, and turn off buffering:",
  },
} as const satisfies Record<StreamVerdict, object>;

export function StreamHealth() {
  const { data: verdict, error, refetch } = useQuery(streamTest);
  if (error) return <ErrorState error={error} onRetry={refetch} />;
  if (!verdict) {
    return (
      <div role="status" aria-label="Testing streams" className="border-y border-line py-3">
        <Skeleton className="h-11 max-w-md" />
      </div>
    );
  }
  return (
    <ul className="border-t border-line">
      <HealthCheck {...verdicts[verdict]}>{verdict !== "flows" && <ProxyLines />}</HealthCheck>
    </ul>
  );
}

type Proxy = keyof typeof lines;

const proxies: ReadonlyArray<{ value: Proxy; label: string }> = [
  { value: "nginx", label: "nginx" },
  { value: "caddy", label: "Caddy" },
  { value: "cloudflare", label: "Cloudflare" },
];

function ProxyLines() {
  const [proxy, setProxy] = useState<Proxy>("nginx");
  return (
    <div className="mt-2 grid gap-3">
      <SegmentedControl label="Proxy" value={proxy} onChange={setProxy} options={proxies} />
      <CopyField label="the proxy configuration" text={lines[proxy]} />
    </div>
  );
}

/** The configuration that lets each proxy pass streams through. */
const lines = {
  nginx: `location / {
  proxy_pass http://127.0.0.1:3000;
  proxy_http_version 1.1;
  proxy_buffering off;
  proxy_cache off;
  gzip off;
  proxy_read_timeout 1h;
}`,
  caddy: `chat.example.com {
  reverse_proxy 127.0.0.1:3000 {
    flush_interval -1
  }
  # Without "encode" here: it buffers what it compresses.
}`,
  cloudflare: `# Caching > Cache Rules: bypass the cache for this host name.
# Rules > Compression Rules: no compression for text/event-stream.
# Quick tunnels (trycloudflare.com) buffer streams.
# A named tunnel does:
cloudflared tunnel create foyer
cloudflared tunnel route dns foyer chat.example.com
cloudflared tunnel run --url http://127.0.0.1:3000 foyer`,
} as const;
