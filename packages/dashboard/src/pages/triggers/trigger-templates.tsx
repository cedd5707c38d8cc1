import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Skeleton } from "../../components/states.tsx";
import { endpointQuery } from "../../data/queries.ts";
import { describeCondition } from "./trigger-labels.ts";

/** Templates for new triggers. */
export function TriggerTemplates({ agentId }: { agentId: string }) {
  const { data, error } = useQuery(endpointQuery("listTriggerTemplates", { agentId }));
  if (error) return <p className="text-soft">The templates could not be loaded. {error.message}</p>;
  return (
    <ul className="grid gap-x-6 sm:grid-cols-2">
      {(data ?? Array.from({ length: 8 }, () => null)).map((template, index) =>
        template ? (
          <li key={template.id} className="relative border-b border-line py-3 hover:bg-hover">
            <Link
              to="/agents/$agentId/triggers/new"
              params={{ agentId }}
              search={{ template: template.id }}
              className="font-medium after:absolute after:inset-0"
            >
              {template.name}
            </Link>
            <p className="text-sm text-soft">{describeCondition(template)}</p>
          </li>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
          <li key={index} className="grid gap-2 border-b border-line py-3">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-4 w-56" />
          </li>
        ),
      )}
    </ul>
  );
}
