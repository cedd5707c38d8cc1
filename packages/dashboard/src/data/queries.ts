import { type EndpointName, FoyerError, type Input, type Output } from "@foyer/sdk";
import { QueryClient, queryOptions, useMutation } from "@tanstack/react-query";
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

type Call<Name extends EndpointName> = (
  input?: Input<Name>,
  options?: { signal?: AbortSignal },
) => Promise<Output<Name>>;

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

/**
 * A call that changes data. `changes` lists the endpoints to refetch afterwards, and `done` is the success message.
 * Errors appear as a toast, except errors of single fields (`VALIDATION_ERROR`), which `useDraft` shows at the fields.
 */
export function useEndpointMutation<Name extends EndpointName>(
  name: Name,
  { changes = [], done }: { changes?: EndpointName[]; done?: string | ((output: Output<Name>) => string) } = {},
) {
  return useMutation<Output<Name>, Error, Input<Name>>({
    mutationFn: (input) => (api[name] as Call<Name>)(input),
    onSuccess: async (output) => {
      await refresh(...changes);
      if (done) notify(typeof done === "string" ? done : done(output));
    },
    onError: (error) => {
      const isAtFields = error instanceof FoyerError && error.details.length > 0;
      if (!isAtFields) notify(error.message, { isWrong: true });
    },
  });
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof FoyerError && error.code === "UNAUTHORIZED";
}
