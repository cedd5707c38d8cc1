import { Link } from "@tanstack/react-router";
import { Button } from "../../../components/button.tsx";
import { Table, Td, Th, Tr } from "../../../components/table.tsx";
import { toolTitle } from "../../../components/tool-title.ts";
import { ActionsCell, ActionsHeader } from "../actions-cell.tsx";
import type { AgentForm } from "../use-all-tools.ts";
import { LastDelivery } from "./last-delivery.tsx";

export function WebhooksTable({ forms, onSecret }: { forms: AgentForm[]; onSecret: (form: AgentForm) => void }) {
  return (
    <Table
      label="Forms and their webhooks"
      head={
        <>
          <Th>Form</Th>
          <Th className="hidden md:table-cell">Webhook</Th>
          <Th className="hidden sm:table-cell">Last delivery</Th>
          <ActionsHeader />
        </>
      }
    >
      {forms.map((form) => (
        <Tr key={form.tool.id}>
          <Td className="min-w-36">
            <FormName {...form} />
            <div className="text-sm break-all text-soft md:hidden">
              <Target tool={form.tool} />
            </div>
            <div className="text-sm sm:hidden">
              <LastDelivery {...form} />
            </div>
          </Td>
          <Td className="hidden max-w-64 truncate md:table-cell">
            <Target tool={form.tool} />
          </Td>
          <Td className="hidden sm:table-cell">
            <LastDelivery {...form} />
          </Td>
          <ActionsCell>
            <Button
              variant="plain"
              aria-label={`Signing secret of ${toolTitle(form.tool.name)}`}
              onClick={() => onSecret(form)}
            >
              Signing secret
            </Button>
          </ActionsCell>
        </Tr>
      ))}
    </Table>
  );
}

function FormName({ agent, tool }: AgentForm) {
  return (
    <>
      <Link
        to="/agents/$agentId/tools/$toolId"
        params={{ agentId: agent.id, toolId: tool.id }}
        className="font-medium underline-offset-2 hover:underline"
      >
        {toolTitle(tool.name)}
      </Link>{" "}
      <span className="text-soft">in {agent.name}</span>
    </>
  );
}

/** The destinations of submissions. Webhook actions are signed in the same way. */
function Target({ tool }: Pick<AgentForm, "tool">) {
  const others = (tool.formPostActions ?? []).filter(({ type }) => type === "webhook").length;
  const more = others > 0 ? `and ${others} ${others === 1 ? "action" : "actions"}` : "";
  return (
    <>
      {tool.formWebhookUrl ? (
        <code className="font-mono" title={tool.formWebhookUrl}>
          {tool.formWebhookUrl}
        </code>
      ) : (
        <span className="text-soft">None</span>
      )}{" "}
      <span className="text-soft">{more}</span>
    </>
  );
}
