import type { Output } from "@foyer/sdk";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Lamp } from "../../components/logo.tsx";
import { ask } from "../../data/queries.ts";
import type { TriggerDraft } from "./trigger-draft.ts";

type Agent = Pick<Output<"getAgent">, "id" | "name" | "widget">;

/** A corner of the visitor's page after the trigger ran, in the widget's colour and at its side. */
export function TriggerPreview({ agent, values }: { agent: Agent; values: TriggerDraft }) {
  const { accentColor, position } = agent.widget;
  const accent = accentColor ?? "#f59e0b";
  const isLeft = position === "left";
  return (
    <figure className="grid gap-2">
      <div
        role="img"
        aria-label="What visitors see, as text below"
        className={`flex h-96 flex-col justify-end gap-3 overflow-hidden rounded-lg border border-line bg-sunken p-4 ${isLeft ? "items-start" : "items-end"}`}
      >
        <Shown agent={agent} accent={accent} values={values} />
        <span
          className="grid size-12 shrink-0 place-items-center rounded-full"
          style={{ background: accent, color: readableOn(accent) }}
        >
          <Lamp isLit={false} />
        </span>
      </div>
      <figcaption className="text-sm text-soft">{inWords(values)}</figcaption>
    </figure>
  );
}

function inWords({ actionType, actionConfig: { message, duration } }: TriggerDraft) {
  if (actionType === "show_form") return "The chat opens with the form.";
  if (actionType === "open_chat") {
    return message ? "The chat opens; the message waits to be sent." : "The chat opens, with nothing written yet.";
  }
  const until = typeof duration === "number" ? "until its time is over, or it is closed" : "until it is closed";
  return `The bubble stays ${until}. A click on it opens the chat.`;
}

function Shown({ agent, accent, values }: { agent: Agent; accent: string; values: TriggerDraft }) {
  const { message, toolId } = values.actionConfig;
  const text = typeof message === "string" ? message : "";
  if (values.actionType === "show_bubble") {
    return (
      <div
        className={`grid max-w-[85%] gap-1 rounded-xl border border-line bg-raised px-4 py-3 ${agent.widget.position === "left" ? "rounded-bl-[4px]" : "rounded-br-[4px]"}`}
      >
        <p className="flex items-center gap-2 text-sm text-soft">
          <Lamp size={14} /> {agent.widget.title ?? agent.name}
        </p>
        <p className="line-clamp-6 whitespace-pre-wrap">
          {text || <span className="text-soft">The text of the bubble</span>}
        </p>
      </div>
    );
  }
  return (
    <Panel agent={agent}>
      {values.actionType === "show_form" ? (
        <FormShown agentId={agent.id} toolId={toolId} accent={accent} />
      ) : (
        <>
          <p className="min-h-0 flex-1 overflow-hidden">{agent.widget.greeting ?? "How can I help?"}</p>
          <p className="line-clamp-3 rounded-lg border border-edge px-3 py-2">
            {text || <span className="text-soft">Write a message</span>}
          </p>
        </>
      )}
    </Panel>
  );
}

function Panel({ agent, children }: { agent: Agent; children: ReactNode }) {
  return (
    <div className="flex min-h-0 w-full max-w-72 flex-1 flex-col overflow-hidden rounded-xl border border-line bg-raised">
      <p className="border-b border-line px-4 py-2.5 font-medium">{agent.widget.title ?? agent.name}</p>
      <div className="flex min-h-0 flex-1 flex-col gap-3 p-4">{children}</div>
    </div>
  );
}

function FormShown({ agentId, toolId, accent }: { agentId: string; toolId: unknown; accent: string }) {
  const { data: tools } = useQuery(ask("listTools", { agentId }));
  const schema = tools?.find(({ id }) => id === toolId)?.formSchema;
  if (!schema) return <p className="text-soft">The form that you choose</p>;
  return (
    <div className="grid content-start gap-3 overflow-hidden">
      {schema.fields.slice(0, 5).map(({ name, label }) => (
        <span key={name} className="grid gap-1 text-sm">
          {label}
          <span className="h-8 rounded-lg border border-edge" />
        </span>
      ))}
      <span
        className="justify-self-start rounded-lg px-3 py-1.5 text-sm font-semibold"
        style={{ background: accent, color: readableOn(accent) }}
      >
        {schema.submitLabel ?? "Send"}
      </span>
    </div>
  );
}

/** Ink or white, whichever stands out more from `#rrggbb`. */
function readableOn(color: string) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#1c1917" : "#ffffff";
}
