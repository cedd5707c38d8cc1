import { useQuery } from "@tanstack/react-query";
import { endpointQuery } from "../../data/queries.ts";
import type { ActionNames } from "./describe-actions.ts";

type Wanted = Record<keyof ActionNames, boolean>;

/** The names of what actions refer to by id. `isFailed` means that some of them could not be loaded. */
export function useActionNames(wanted: Wanted): {
  names: ActionNames;
  isFailed: boolean;
  isRetrying: boolean;
  retry: () => void;
} {
  const tags = useQuery({ ...endpointQuery("listTags"), enabled: wanted.tags });
  const members = useQuery({ ...endpointQuery("listMembers"), enabled: wanted.members });
  const teams = useQuery({ ...endpointQuery("listTeams"), enabled: wanted.teams });
  const failed = [
    ...(wanted.tags ? [tags] : []),
    ...(wanted.members ? [members] : []),
    ...(wanted.teams ? [teams] : []),
  ].filter(({ data, isError }) => data === undefined && isError);
  return {
    names: { tags: tags.data, members: members.data, teams: teams.data },
    isFailed: failed.length > 0,
    isRetrying: failed.some(({ isFetching }) => isFetching),
    retry: () => {
      for (const query of failed) void query.refetch();
    },
  };
}
