import { createRequest } from "@foyer/sdk";
import { queryOptions } from "@tanstack/react-query";

// Endpoints that the SDK's table does not name yet, by the shapes that are agreed on.

const request = createRequest({ baseUrl: location.origin, credentials: "same-origin" });

export type Plan = {
  planId: string;
  limits: { requestsPerMinute: number | null; toolsPerAgent: number | null };
  usage: { requestsThisMinute: number; agents: AgentUsage[] };
};

export type AgentUsage = {
  id: string;
  name: string;
  tools: number;
  tokensThisMonth: number;
  monthlyTokenBudget: number | null;
  conversationsThisMonth: number;
  submissionsThisMonth: number;
};

export const getPlan = queryOptions({
  queryKey: ["getPlan", null],
  queryFn: async ({ signal }): Promise<Plan> => (await request("/plan", { signal })).json(),
});

export type DoctorCheck = {
  id: string;
  state: "ok" | "warning" | "failure";
  title: string;
  detail: string;
  fix: string | null;
};

export const getDoctor = queryOptions({
  queryKey: ["getDoctor", null],
  queryFn: async ({ signal }): Promise<{ checks: DoctorCheck[] }> => (await request("/doctor", { signal })).json(),
});

/** Five small events, 200 ms apart. */
export async function openDoctorStream(signal: AbortSignal): Promise<Response> {
  return request("/doctor/stream", { signal });
}

export type ProviderTest = { success: boolean; durationMs: number; error: string | null };

/** Without a key and an address it is what the account uses now. */
export async function testProvider(
  provider: string,
  body: { apiKey?: string | null; baseUrl?: string | null },
): Promise<ProviderTest> {
  const response = await request(`/models/providers/${encodeURIComponent(provider)}/test`, { method: "POST", body });
  return (await response.json()).data;
}
