/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { chooseAgentImage } from "../loader/agent-images.ts";
import { AgentFace, PersonFace } from "../panel/face.tsx";
import { focusPanel, keepFocusWithin } from "../panel/focus.ts";
import { IconButton } from "../panel/icon-button.tsx";
import { closesPicker, isComposing } from "../panel/keys.ts";
import { usePanel } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { SMALL_SCREEN } from "../panel/small-screen.ts";
import { useAgentLight } from "../panel/use-agent-light.ts";
import { useBrowserValue } from "../panel/use-browser-value.ts";
import { parts } from "../panel/use-part.ts";
import { useStore } from "../store.ts";

/** The views below the header. */
type Views = Record<"chat" | "conversations", JSX.Element>;

type Props = { state: PanelState; loadHandoff: () => Promise<unknown>; children: Views };

/** The whole panel. Beside the page it is a non-modal dialog. Where it covers the page it traps the focus. */
export function PanelView({ state, loadHandoff, children }: Props): JSX.Element {
  const { core, chat } = usePanel();
  const { isOpen, view } = useStore(state);
  const { announcement, entries, ownership } = useStore(chat.store);
  const { attempt } = useStore(parts);
  const covers = useCovers();
  const panel = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (isOpen) focusPanel(panel.current);
  }, [isOpen, view]);

  const needsHandoff = core.agent.handoff || (ownership && ownership.handler !== "agent");
  useEffect(() => {
    // A failure is shown above the message field.
    if (needsHandoff) loadHandoff().catch(() => {});
  }, [needsHandoff, attempt]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !isComposing(event) && !closesPicker(event)) {
      if (view === "conversations") state.patch({ view: "chat" });
      else core.panel.close({ byVisitor: true });
    } else if (covers && panel.current) keepFocusWithin(panel.current, event);
  };

  return (
    <>
      <div
        ref={panel}
        class="panel"
        part="panel"
        role="dialog"
        aria-label={core.title}
        aria-modal={covers ? "true" : undefined}
        tabIndex={-1}
        hidden={!isOpen}
        onKeyDown={onKeyDown}
      >
        <Header state={state} hasEntries={entries.length > 0} view={view} />
        {children[view]}
      </div>
      <p class="visually-hidden" role="status">
        <span key={announcement}>{announcement}</span>
      </p>
    </>
  );
}

type HeaderProps = {
  hasEntries: boolean;
  view: "chat" | "conversations";
  state: PanelState;
};

function Header({ hasEntries, view, state }: HeaderProps): JSX.Element {
  const { core, chat, messages } = usePanel();
  const isChat = view === "chat";
  const startNew = () => {
    chat.startNew();
    state.patch({ view: "chat" });
  };
  return (
    <div class="header" part="header">
      {isChat ? (
        <Who state={state} />
      ) : (
        <>
          <IconButton name="back" label={messages.back} onClick={() => state.patch({ view: "chat" })} />
          <div class="title">
            <h2>{messages.pastConversations}</h2>
          </div>
        </>
      )}
      {hasEntries && isChat ? <IconButton name="add" label={messages.newConversation} onClick={startNew} /> : null}
      {isChat && core.visitor.conversations.length > 0 ? (
        <IconButton name="list" label={messages.menu} onClick={() => state.patch({ view: "conversations" })} />
      ) : null}
      <IconButton name="close" label={messages.close} onClick={() => core.panel.close({ byVisitor: true })} />
    </div>
  );
}

/** Who answers, and in which state they are. */
function Who({ state }: { state: PanelState }): JSX.Element {
  const { core, messages } = usePanel();
  const { status } = useStore(state);
  const { light, isOffline } = useAgentLight();
  const logo = chooseAgentImage(core, "logo");
  const isHidden = core.agent.widget.showAiNotice === false;
  const line = isOffline
    ? messages.offline
    : (status?.text ?? (light === "dark" ? messages.cannotAnswer : isHidden ? null : messages.assistant));
  return (
    <>
      {status?.person ? (
        <PersonFace person={status.person} />
      ) : logo ? (
        <img class="logo" src={logo} alt="" />
      ) : (
        <AgentFace light={light} hangs />
      )}
      <div class="title">
        <h2>
          <bdi>{core.title}</bdi>
        </h2>
        {line ? <p dir="auto">{line}</p> : null}
      </div>
    </>
  );
}

/** Whether the panel covers the page, as it does on a phone. */
function useCovers(): boolean {
  const small = matchMedia(SMALL_SCREEN);
  return useBrowserValue(() => small.matches, small, "change");
}
