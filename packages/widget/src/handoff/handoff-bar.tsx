/** @jsxImportSource preact */
import type { Person } from "@foyer/contract";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ReplyEntry } from "../conversation/conversation-state.ts";
import { interpolate } from "../locales/load-messages.ts";
import { focusPanel } from "../panel/focus.ts";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import type { PanelState, Status } from "../panel/panel-state.ts";
import { useStore } from "../store.ts";
import { AskCard } from "./ask-card.tsx";
import { describePromise, formatDuration } from "./availability-texts.ts";
import type { HandoffController } from "./create-handoff.ts";
import { chooseView, type HandoffView } from "./handoff-state.ts";

type Props = { handoff: HandoffController };

/** What is shown about a person, or null while the conversation loads or waits for the visitor's consent. */
function useView({ store, live, texts }: HandoffController): HandoffView | null {
  const { chat } = usePanel();
  const { entries, ownership, phase, hasConsent } = useStore(chat.store);
  const { settings } = useStore(store);
  const { left } = useStore(live.store);
  const now = useNow(ownership?.handoff?.promisedAt ?? null);
  // Without the visitor's consent, no conversation can start.
  if (phase !== "ready" || (chat.consentText !== null && !hasConsent)) return null;
  return chooseView({ entries, ownership, left }, { settings, wish: texts.wish, now });
}

/** The area above the message field: the form that asks for a person, and what the visitor can do while waiting. */
export function HandoffBar({ handoff, panelState }: Props & { panelState: PanelState }): JSX.Element | null {
  const { chat } = usePanel();
  const { ownership } = useStore(chat.store);
  const { card } = useStore(handoff.store);
  const view = useView(handoff);
  const { text, person = null } = useStatus(handoff, view);
  useEffect(() => panelState.patch({ status: text ? { text, person } : null }), [text, person]);
  // A person may take over while the visitor is filling in a card.
  const cardOf = { agent: "ask", waiting: "email", human: "none" } as const;
  if (view && card !== "none" && card === cardOf[ownership?.handler ?? "agent"]) return <AskCard handoff={handoff} />;
  switch (view?.type) {
    case "offer":
      return view.isUrgent ? (
        <div class="handoff suggestions">
          <Talk handoff={handoff} class="quiet" />
        </div>
      ) : null;
    case "waiting":
      return <Waiting handoff={handoff} isLate={view.isLate} />;
    case "over":
      return <Over handoff={handoff} reply={view.reply} person={view.person} />;
    default:
      return null;
  }
}

/** The button in the line below the message field, unless it is a suggestion above the field. */
export function TalkButton({ handoff }: Props): JSX.Element | null {
  const view = useView(handoff);
  return view?.type === "offer" && !view.isUrgent ? <Talk handoff={handoff} class="talk" /> : null;
}

function Talk({ handoff, class: style }: Props & { class: string }): JSX.Element {
  return (
    <button type="button" class={style} part="handoff" onClick={handoff.offer}>
      {handoff.texts.talk}
    </button>
  );
}

/** What the panel's header says, and whose face it shows. Without a text, it shows the agent. */
function useStatus({ store, live, texts }: HandoffController, view: HandoffView | null): Partial<Status> {
  const { core, messages } = usePanel();
  const { settings } = useStore(store);
  const { typing, isLost } = useStore(live.store);
  const lost = isLost ? messages.reconnecting : null;
  if (view?.type === "waiting") {
    const minutes = view.isLate || !settings?.isOpen ? null : settings.promiseMinutes;
    const time = minutes && formatDuration(minutes, core.locale);
    return { text: lost ?? (time ? interpolate(texts.waitingAbout, { time }) : texts.waiting) };
  }
  if (view?.type !== "person") return {};
  const { person } = view;
  const from = person ? interpolate(texts.from, { name: person.name }) : texts.talkingToSomebody;
  return { text: lost ?? (typing ? interpolate(texts.typing, { name: typing.name }) : from), person };
}

type LineProps = { title: string | null; children?: ComponentChildren };

function Line({ title, children }: LineProps): JSX.Element {
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = line.current;
    return () => {
      // Move the focus, which would otherwise be lost with a button of the line, such as the one that stops waiting.
      if (element?.matches(":focus-within")) focusPanel(element.closest<HTMLElement>(".panel"));
    };
  }, []);
  return (
    <div ref={line} class="handoff line" part="handoff">
      {title ? <p class="note">{title}</p> : null}
      {children}
    </div>
  );
}

function Waiting({ handoff, isLate }: Props & { isLate: boolean }): JSX.Element {
  const { core } = usePanel();
  const { texts } = handoff;
  const { settings, email: left, isBusy, problem } = useStore(handoff.store);
  const stopWaiting = () => {
    if (!isBusy) void handoff.stopWaiting();
  };
  const email = left?.conversationId === core.visitor.current?.id ? left?.address : null;
  // The header says how long an answer takes.
  const promise = isLate
    ? texts.late
    : settings?.isOpen
      ? null
      : settings && describePromise(settings, texts, core.locale);
  const meanwhile = settings?.whileWaiting === "silent" ? texts.agentSilent : texts.agentAnswers;
  return (
    <Line title={promise}>
      <p class="note">{interpolate(meanwhile, { name: core.agent.name })}</p>
      {email ? <p class="note">{interpolate(texts.emailSaved, { email })}</p> : null}
      {problem ? <p class="note wrong">{problem}</p> : null}
      <div class="buttons">
        {email || !settings?.canEmail ? null : (
          <button type="button" class="quiet" onClick={handoff.showEmail}>
            {texts.leaveEmail}
          </button>
        )}
        <button type="button" class="quiet" aria-disabled={isBusy} onClick={stopWaiting}>
          {texts.stopWaiting}
        </button>
      </div>
    </Line>
  );
}

function Over({ handoff, reply, person }: Props & { reply: ReplyEntry | null; person: Person }): JSX.Element {
  const { core, chat, messages } = usePanel();
  const { texts } = handoff;
  const rate = (reply: ReplyEntry, rating: "up" | "down") => {
    const isUp = rating === "up";
    const label = isUp ? messages.goodReply : messages.badReply;
    return (
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        title={label}
        aria-pressed={reply.rating === rating}
        onClick={() => void chat.rate(reply, rating)}
      >
        <Icon name={isUp ? "up" : "thumbDown"} />
      </button>
    );
  };
  return (
    <Line title={interpolate(texts.over, { name: person.name, agent: core.agent.name })}>
      {reply && !core.agent.rating ? (
        <fieldset class="rating" aria-label={texts.rate}>
          <span class="note">{texts.rate}</span>
          {rate(reply, "up")}
          {rate(reply, "down")}
        </fieldset>
      ) : null}
    </Line>
  );
}

/** The time in milliseconds since 1970, which changes when the promised time has passed. */
function useNow(promisedAt: string | null): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    setNow(Date.now());
    const wait = promisedAt ? Date.parse(promisedAt) - Date.now() : -1;
    if (wait < 0) return;
    const timer = setTimeout(() => setNow(Date.now()), wait + 1_000);
    return () => clearTimeout(timer);
  }, [promisedAt]);
  return now;
}
