import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useInboxLive } from "../../data/inbox-live.ts";
import { endpointQuery } from "../../data/queries.ts";
import { type Colleague, listColleagues } from "./find-colleagues.ts";

/** The members to whom a conversation can be assigned, except the one who has it. */
export function useColleagues(me: string | null, assigneeId?: string | undefined): readonly Colleague[] {
  const members = useQuery(endpointQuery("listMembers")).data;
  const live = useInboxLive((inbox) => inbox.members);
  return useMemo(() => {
    const present = new Set(live.flatMap(({ userId, isPresent }) => (isPresent && userId ? [userId] : [])));
    return listColleagues(members ?? [], { me, assigneeId, present });
  }, [members, live, me, assigneeId]);
}
