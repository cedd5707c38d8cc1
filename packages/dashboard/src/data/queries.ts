import { type CallOptions, type EndpointName, FoyerError, type Input, type Output } from "@foyer/sdk";
import { QueryClient, queryOptions, useMutation } from "@tanstack/react-query";
import type { AgentEdits } from "./agent-state.ts";
import { api } from "./api.ts";
import { notify } from "./toasts.ts";

/** Caches responses, keeps showing them while they are refetched, and retries temporary failures twice. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 2 && error instanceof FoyerError && error.isTemporary,
    },
  },
});

type Call<Name extends EndpointName> = (input?: Input<Name>, options?: CallOptions) => Promise<Output<Name>>;

/** Query options for an endpoint, cached by name and input: `useSuspenseQuery(endpointQuery("getAgent", { id }))`. */
export function endpointQuery<Name extends EndpointName>(name: Name, input?: Input<Name>) {
  return queryOptions({
    queryKey: [name, input ?? null] as const,
    queryFn: ({ signal }) => (api[name] as Call<Name>)(input, { signal }),
  });
}

/** Invalidates and refetches all cached responses of these endpoints. */
export function refresh(...names: EndpointName[]): Promise<unknown> {
  return Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

type MutationOptions<Name extends EndpointName> = {
  changes?: EndpointName[];
  done?: string | ((output: Output<Name>) => string);
  edits?: AgentEdits;
};

/**
 * A call that changes data. `changes` lists the endpoints to refetch afterwards, and `done` is the success message.
 * Errors appear as a toast, except errors of single fields (`VALIDATION_ERROR`), which `useDraft` shows at the fields.
 * With `edits`, the call changes an agent only in the state that the page shows, see `useAgentEdits`.
 */
export function useEndpointMutation<Name extends EndpointName>(
  name: Name,
  { changes = [], done, edits }: MutationOptions<Name> = {},
) {
  const call: Call<Name> = (input, options) => (api[name] as Call<Name>)(input, options);
  return useMutation<Output<Name>, Error, Input<Name>>({
    mutationFn: (input) => (edits ? edits.write((ifMatch) => call(input, { ifMatch })) : call(input)),
    onSuccess: async (output) => {
      await refresh(...changes);
      if (done) notify(typeof done === "string" ? done : done(output));
    },
    onError: (error) => {
      const isAtFields = error instanceof FoyerError && error.details.length > 0;
      if (!isAtFields && !isConflict(error)) notify(error.message, { isWrong: true });
    },
  });
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof FoyerError && error.code === "UNAUTHORIZED";
}

/** Whether the agent has changed since the page was loaded. The dialog of `useAgentEdits` has said so. */
export function isConflict(error: unknown): boolean {
  return error instanceof FoyerError && error.code === "PRECONDITION_FAILED";
}
