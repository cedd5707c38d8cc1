import type { Request, VisitorForm } from "@foyer/sdk";
import { createContext, type RefCallback } from "preact";
import { useContext } from "preact/hooks";
import type { ReplyEntry, ToolPart, UserEntry } from "../conversation/conversation-state.ts";
import type { Chat } from "../conversation/create-chat.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Messages } from "../locales/en.ts";
import type { ShownTool } from "./slots.ts";

/** The part that the panel loads when the first form is shown. */
export type Forms = {
  /** Renders a form into an empty element. @returns a function that removes it */
  mountForm(
    place: HTMLElement,
    panel: PanelContext,
    showing: { form: VisitorForm; key: string; previousResult: unknown },
  ): () => void;
};

/** The part that the panel loads when the first result of a tool that is not text is shown. */
export type Displays = {
  /** Renders a result into an element, or updates it there. */
  mountDisplay(place: HTMLElement, panel: PanelContext, tool: ShownTool): void;
  unmountDisplay(place: HTMLElement): void;
};

/** The part that the panel loads for agents with handoff enabled, and for conversations that are with a person. */
export type Handoff = {
  /** Ref of the element for the area above the message field. */
  mountBar: RefCallback<HTMLElement>;
  /** Ref of the element for the button that asks for a person, in the line below the message field. */
  mountTalk: RefCallback<HTMLElement>;
  /** Ref of the element for the visitor's settings. */
  mountSettings: RefCallback<HTMLElement>;
  /** Lets the visitor ask for a person. */
  offer(): void;
  destroy(): void;
};

/** A message, which may have attachments, and notices about those that the model cannot see. */
export type AttachedMessage = Pick<UserEntry, "attachments"> & Partial<Pick<ReplyEntry, "notices">>;

/** The part that the panel loads when the first place for attachments is shown. */
export type Attachments = {
  /**
   * Renders what is attached to a message or, without one, the controls that attach something to the next message.
   * @returns a function that removes it
   */
  mount(place: HTMLElement, message: AttachedMessage | undefined): () => void;
};

/** The part that the panel loads with the first conversation of an agent that asks for ratings of conversations. */
export type ConversationRating = {
  /** Renders the question, once the conversation has ended. @returns a function that removes it */
  mount(place: HTMLElement): () => void;
};

/** Shared by every component of the panel. */
export type PanelContext = {
  core: WidgetCore;
  request: Request;
  messages: Messages;
  chat: Chat;
  loadForms: () => Promise<Forms>;
  loadDisplays: () => Promise<Displays>;
  /** Not set in the dashboard's previews. */
  loadAttachments?: () => Promise<Attachments>;
  /** Not set in the dashboard's previews. */
  loadRating?: () => Promise<ConversationRating>;
  /** Renders the agent's request for a person. Set once the handoff code has loaded. */
  mountRequest?: (tool: ToolPart, place: HTMLElement | null) => ReturnType<RefCallback<HTMLElement>>;
  /** Set in the dashboard's previews: a form validates and shows its success message, but sends nothing. */
  isPreview?: true;
  /** Set in the dashboard's previews, which have no chat: the result that a form's default values can use. */
  previousResult?: () => unknown;
  /**
   * Set in the dashboard's playground, which acts as a visitor: renews the visitor's identity, because the token
   * expires.
   */
  onSubmit?: () => Promise<void>;
};

const Context = createContext<PanelContext | null>(null);

export const PanelProvider = Context.Provider;

export function usePanel(): PanelContext {
  const context = useContext(Context);
  if (!context) throw new Error("usePanel was called outside of PanelProvider");
  return context;
}
