import { Avatar } from "../../components/avatar.tsx";
import { useInboxLive } from "../../data/inbox-live.ts";
import { useMe } from "./use-me.ts";

const SHOWN = 3;

/** The colleagues who have the inbox open or sent a message in the last five minutes. */
export function Colleagues() {
  const me = useMe();
  const members = useInboxLive((live) => live.members);
  const present = members.filter(({ userId, isPresent }) => isPresent && userId !== me);
  if (present.length === 0) return null;
  const more = present.length - SHOWN;
  return (
    <ul aria-label="Colleagues here now" className="flex items-center -space-x-1">
      {present.slice(0, SHOWN).map(({ userId, name, initials }) => (
        <li key={userId ?? name} className="flex rounded-full ring-2 ring-paper">
          <Avatar initials={initials} label={name} />
        </li>
      ))}
      {more > 0 && (
        <li
          className="ps-2 text-sm text-soft"
          title={present
            .slice(SHOWN)
            .map(({ name }) => name)
            .join(", ")}
        >
          +{more}
        </li>
      )}
    </ul>
  );
}
