import { ButtonLink } from "../../components/button.tsx";
import { kindNames, toolKinds } from "./tool-kinds.tsx";

/** The kinds of tools, each with a link that creates one. */
export function KindList({ agentId }: { agentId: string }) {
  return (
    <ul className="grid gap-px overflow-hidden rounded-lg border border-line bg-line text-ink sm:grid-cols-2">
      {kindNames.map((kind) => {
        const { name, line, example, icon, make } = toolKinds[kind];
        return (
          <li key={kind} className="grid grid-rows-[auto_auto_1fr_auto] gap-2 bg-raised p-5">
            <h2 className="flex items-center gap-2">
              {icon} {name}
            </h2>
            <p>{line}</p>
            <p className="text-soft">{example}</p>
            <ButtonLink
              to="/agents/$agentId/tools/new"
              params={{ agentId }}
              search={{ kind }}
              className="mt-2 justify-self-start"
            >
              {make}
            </ButtonLink>
          </li>
        );
      })}
    </ul>
  );
}
