import { useQuery } from "@tanstack/react-query";
import { api } from "./api.ts";
import { useInboxLive } from "./inbox-live.ts";
import { endpointQuery } from "./queries.ts";
import { notify } from "./toasts.ts";

/** Whether the user is away, and a function that changes it. */
export function useAway(): [isAway: boolean, setAway: (isAway: boolean) => void] {
  const me = useQuery(endpointQuery("getSession")).data?.user.id;
  const isAway = useInboxLive(({ members }) => members.find(({ userId }) => userId === me)?.isAway ?? false);
  const setAway = (next: boolean) => {
    api.updatePresence({ body: { isAway: next } }).catch((error: Error) => notify(error.message, { isWrong: true }));
  };
  return [isAway, setAway];
}
