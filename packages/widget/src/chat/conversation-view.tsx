/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Entry, FormEntry } from "../conversation/conversation-state.ts";
import { isSilent } from "../conversation/reply-reader.ts";
import { FormOutline, FormPlace } from "../forms/form-place.tsx";
import { Failure } from "../panel/failure.tsx";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { scrollIntoConversation } from "../panel/scroll-into-conversation.ts";
import { loadMissing, parts } from "../panel/use-part.ts";
import { useStore } from "../store.ts";
import { Composer } from "./composer.tsx";
import { ConsentView } from "./consent-view.tsx";
import { createEndTracker, END_TOLERANCE_PX } from "./end-tracker.ts";
import { Footer, LongNotice } from "./notice.tsx";
import { PartPlace } from "./part-place.tsx";
import { ReplyView } from "./reply-view.tsx";
import { UserView } from "./user-view.tsx";
import { Welcome } from "./welcome.tsx";

/**
 * The number of entries that are rendered at first, and the number that is added each time the visitor asks for earlier
 * messages.
 */
const PAGE_SIZE = 40;

/** The messages of the conversation and the composer. */
export function ConversationView({ state }: { state: PanelState }): JSX.Element {
  const { core, chat, messages, loadRating } = usePanel();
  const { isOpen, handoff } = useStore(state);
  const { isMissing } = useStore(parts);
  const current = useStore(chat.store);
  const { entries, phase, running, hasConsent, ownership } = current;
  const [count, setCount] = useState(PAGE_SIZE);
  const shown = entries.slice(-count);
  const { scroller, isAway, isCut, onScroll, goToEnd } = useStickToEnd(entries.at(-1)?.key, isOpen);
  const last = entries.findLast((entry) => entry.type === "reply");

  const showEarlier = () => {
    const element = scroller.current;
    const fromEnd = element ? element.scrollHeight - element.scrollTop : 0;
    setCount(count + PAGE_SIZE);
    // Keeps the visitor's reading position in place.
    requestAnimationFrame(() => {
      if (element) element.scrollTop = element.scrollHeight - fromEnd;
    });
  };

  return (
    <>
      <section
        class={isCut ? "scroll cut" : "scroll"}
        ref={scroller}
        onScroll={onScroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
        tabIndex={0}
        aria-label={messages.messageList}
      >
        {phase === "loading" ? <Loading /> : null}
        {phase === "unloadable" ? <Failure text={messages.notLoaded} onRetry={chat.restore} /> : null}
        {phase === "ready" && count >= entries.length ? <LongNotice /> : null}
        {phase === "ready" && count >= entries.length ? <Welcome hasStarted={entries.length > 0} /> : null}
        {count < entries.length ? (
          <button type="button" class="quiet earlier" onClick={showEarlier}>
            {messages.earlier}
          </button>
        ) : null}
        {shown.length > 0 ? (
          <ol class="messages" part="messages">
            {shown.map((entry, index) => (
              <EntryView
                key={entry.key}
                entry={entry}
                startsRun={senderOf(entry) !== senderOf(shown[index - 1])}
                endsRun={senderOf(entry) !== senderOf(shown[index + 1])}
                isLast={entry === last}
                isBusy={running !== null || (isSilent(current, core) && last?.state !== "refused")}
              />
            ))}
          </ol>
        ) : null}
        {last && core.agent.rating ? <PartPlace load={loadRating} /> : null}
      </section>
      {isAway ? (
        <button type="button" class="to-end" aria-label={messages.newest} title={messages.newest} onClick={goToEnd}>
          <Icon name="down" />
        </button>
      ) : null}
      {isMissing ? <Failure text={messages.unreachable} onRetry={loadMissing} /> : null}
      {handoff ? <div ref={handoff.mountBar} /> : null}
      {chat.consentText === null || hasConsent ? <Composer state={state} /> : <ConsentView text={chat.consentText} />}
      <Footer hasAgent={ownership?.handler !== "human"}>{handoff ? <span ref={handoff.mountTalk} /> : null}</Footer>
    </>
  );
}

/** Entries of the same sender that follow each other are a run: one face above them, and one time below. */
const senderOf = (entry: Entry | undefined) =>
  entry && (entry.type === "reply" && entry.person ? entry.person.name : entry.type === "user");

type EntryProps = { entry: Entry; isLast: boolean; isBusy: boolean; startsRun: boolean; endsRun: boolean };

/** One entry of the conversation. Memoized, so it renders again only when its entry changes. */
function EntryView({ entry, isLast, isBusy, startsRun, endsRun }: EntryProps): JSX.Element {
  const isOffering = isLast && !isBusy;
  return useMemo(() => {
    if (entry.type === "user") return <UserView entry={entry} endsRun={endsRun} />;
    if (entry.type === "form") return <FormView entry={entry} />;
    return <ReplyView reply={entry} isLast={isLast} canRegenerate={isOffering} startsRun={startsRun} />;
  }, [entry, isLast, isOffering, startsRun, endsRun]);
}

function FormView({ entry }: { entry: FormEntry }): JSX.Element {
  const { chat } = usePanel();
  const { form, problem, key } = entry;
  return (
    <li class="reply">
      {form ? <FormPlace form={form} instanceKey={key} /> : null}
      {problem ? <Failure text={problem} onRetry={() => void chat.loadForm(entry)} /> : null}
      {form || problem ? null : <FormOutline count={3} />}
    </li>
  );
}

/** A skeleton of the conversation, which keeps the layout stable until it has loaded. */
function Loading(): JSX.Element {
  const { messages } = usePanel();
  return (
    <div class="skeleton" role="img" aria-label={messages.loading}>
      <span />
      <span />
      <span />
    </div>
  );
}

/** The form at the end of the conversation, or null. */
function findNewestForm(scroller: HTMLElement): HTMLElement | null {
  return scroller.querySelector<HTMLElement>(".messages > li:last-child .form");
}

/** Keeps the end in view while content arrives, unless the visitor has scrolled up. */
function useStickToEnd(lastKey: string | undefined, isOpen: boolean) {
  const scroller = useRef<HTMLElement>(null);
  const [tracker] = useState(createEndTracker);
  const [isAway, setIsAway] = useState(false);
  /** Whether there is more of the conversation below. */
  const [isCut, setIsCut] = useState(false);
  /** The scroll position at which a tall form is shown from its top, or null before the form is shown. */
  const formTop = useRef<number>(null);
  const goToEnd = () => {
    const element = scroller.current;
    if (!element) return;
    formTop.current = null;
    element.scrollTop = element.scrollHeight;
    tracker.follow(element);
    setIsAway(false);
    setIsCut(false);
  };
  // The visitor sent something or opened another conversation, so the end is what matters.
  useLayoutEffect(goToEnd, [lastKey, isOpen]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    // Reacts to streamed text, images that load, the on-screen keyboard, and the panel's own size.
    const watcher = new ResizeObserver(() => {
      if (!tracker.isFollowing()) return;
      const form = findNewestForm(element);
      // A visitor who is filling in a form looks at its fields, and a new form is read from its top.
      if (form?.matches(":focus-within")) return;
      const isTall = form?.matches(":not(.sent)") && form.clientHeight > element.clientHeight - END_TOLERANCE_PX;
      if (isTall) {
        // The visitor has scrolled in the form, so leave it where it is.
        if ((formTop.current ?? element.scrollTop) !== element.scrollTop) return;
        scrollIntoConversation(form, "start");
        formTop.current = element.scrollTop;
        tracker.follow(element);
      } else goToEnd();
    });
    const watch = () => {
      watcher.disconnect();
      watcher.observe(element);
      for (const child of element.children) watcher.observe(child);
    };
    const children = new MutationObserver(watch);
    children.observe(element, { childList: true });
    watch();
    return () => {
      watcher.disconnect();
      children.disconnect();
    };
  }, []);
  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    tracker.onScroll(element);
    setIsCut(element.scrollHeight - element.scrollTop - element.clientHeight > 1);
    // A form at the end is not a new message to jump to, and the button would cover its fields.
    setIsAway(!tracker.isFollowing() && !findNewestForm(element)?.matches(":not(.sent)"));
  };
  return { scroller, isAway, isCut, onScroll, goToEnd };
}
