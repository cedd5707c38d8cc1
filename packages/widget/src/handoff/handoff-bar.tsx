/** @jsxImportSource preact */
import type { Person } from "@foyer/contract";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ReplyEntry } from "../chat/conversation-state.ts";
import { Initials } from "../chat/initials.tsx";
import { interpolate } from "../locales/load-messages.ts";
import { focusPanel } from "../panel/focus.ts";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import { AskCard } from "./ask-card.tsx";
import { describePromise } from "./availability-texts.ts";
import type { HandoffController } from "./create-handoff.ts";
import { chooseView } from "./handoff-state.ts";

type Props = { handoff: HandoffController };

/** The area above the message field. It shows how to reach a person, and who handles the conversation. */
export function HandoffBar({ handoff }: Props): JSX.Element | null {
  const { chat } = usePanel();
  const { entries, ownership, phase, hasConsent } = useStore(chat.store);
  const { card, settings } = useStore(handoff.store);
  const { left } = useStore(handoff.live.store);
  const now = useNow(ownership?.handoff?.promisedAt ?? null);
  // Without the visitor's consent, no conversation can start.
  if (phase !== "ready" || (chat.consentText !== null && !hasConsent)) return null;
  // A person may take over while the visitor is filling in a card.
  const cardOf = { agent: "ask", waiting: "email", human: "none" } as const;
  if (card !== "none" && card === cardOf[ownership?.handler ?? "agent"]) return <AskCard handoff={handoff} />;
  const view = chooseView({ entries, ownership, left }, settings, now);
  switch (view.type) {
    case "offer":
      return (
        <div class="handoff">
          <button type="button" class="quiet" part="handoff" onClick={handoff.offer}>
            {handoff.texts.talk}
          </button>
        </div>
      );
    case "waiting":
      return <Waiting handoff={handoff} isLate={view.isLate} />;
    case "person":
      return <WithPerson handoff={handoff} person={view.person} />;
    case "over":
      return <Over handoff={handoff} reply={view.reply} person={view.person} />;
    default:
      return null;
  }
}

type LineProps = { face: ComponentChildren; title: string; children?: ComponentChildren };

function Line({ face, title, children }: LineProps): JSX.Element {
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
      {face}
      <div class="about">
        <p>{title}</p>
        {children}
      </div>
    </div>
  );
}

function Waiting({ handoff, isLate }: Props & { isLate: boolean }): JSX.Element {
  const { core, messages } = usePanel();
  const { texts } = handoff;
  const { settings, email: left, isBusy, problem } = useStore(handoff.store);
  const stopWaiting = () => {
    if (!isBusy) void handoff.stopWaiting();
  };
  const email = left?.conversationId === core.visitor.current?.id ? left?.address : null;
  const { isLost } = useStore(handoff.live.store);
  const promise = isLate ? texts.late : settings && describePromise(settings, texts, core.locale);
  const meanwhile = settings?.whileWaiting === "silent" ? texts.agentSilent : texts.agentAnswers;
  return (
    <Line face={<span class="lamp lit" aria-hidden="true" />} title={texts.waiting}>
      <p class="note">{isLost ? messages.reconnecting : promise}</p>
      <p class="note">{interpolate(meanwhile, { name: core.agent.name })}</p>
      {email ? <p class="note">{interpolate(texts.emailSaved, { email })}</p> : null}
      {problem ? <p class="note wrong">{problem}</p> : null}
      <div class="suggestions">
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

function WithPerson({ handoff, person }: Props & { person: Person | null }): JSX.Element {
  const { messages } = usePanel();
  const { texts, live } = handoff;
  const { typing, isLost } = useStore(live.store);
  const state = typing ? interpolate(texts.typing, { name: typing.name }) : texts.fromTeam;
  return (
    <Line
      face={person ? <Initials person={person} /> : null}
      title={person ? interpolate(texts.talkingTo, { name: person.name }) : texts.talkingToSomebody}
    >
      <p class="note">{isLost ? messages.reconnecting : state}</p>
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
    <Line
      face={<Initials person={person} />}
      title={interpolate(texts.over, { name: person.name, agent: core.agent.name })}
    >
      {reply ? (
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
