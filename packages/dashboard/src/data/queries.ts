import { type EndpointName, FoyerError, type Input, type Output } from "@foyer/sdk";
import { QueryCache, QueryClient, queryOptions, useMutation } from "@tanstack/react-query";
import { notify } from "../components/toasts.ts";
import { api } from "./api.ts";

/** What was asked for stays as it is while it is asked for again; what failed for a moment is asked for twice more. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [name] }) => {
      // Who asks for the session deals with its absence.
      if (name !== "getSession") leaveWhenSignedOut(error);
    },
  }),
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

/** An endpoint's answer, kept by its name and input: `useSuspenseQuery(ask("getAgent", { id }))`. */
export function ask<Name extends EndpointName>(name: Name, input?: Input<Name>) {
  return queryOptions({
    queryKey: [name, input ?? null] as const,
    queryFn: ({ signal }) => (api[name] as Call<Name>)(input, { signal }),
  });
}

/** Asks again for every answer of these endpoints. */
export function refresh(...names: EndpointName[]): Promise<unknown> {
  return Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })));
}

/**
 * A call that changes something. `changes` names the endpoints whose answers are other ones afterwards, `done` is what the viewer is told then.
 * What fails is told too, but for what is wrong with single fields (`VALIDATION_ERROR`): that belongs beside them, see `useDraft`.
 */
export function useCall<Name extends EndpointName>(
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
      leaveWhenSignedOut(error);
      const isAtFields = error instanceof FoyerError && error.details.length > 0;
      if (!isAtFields) notify(error.message, { isWrong: true });
    },
  });
}

/** A session that ended elsewhere leads to the sign-in page, and from there back. */
function leaveWhenSignedOut(error: Error) {
  const isAtDoor = /^\/dashboard\/(sign-in|sign-up|setup|forgot-password|reset-password|invitations)/.test(
    location.pathname,
  );
  if (isSignedOut(error) && !isAtDoor) {
    location.assign(`/dashboard/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof FoyerError && error.code === "UNAUTHORIZED";
}
