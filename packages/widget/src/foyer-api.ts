import type { Display } from "@foyer/contract";

/** Who the visitor is, as the site knows it. `userHash` is needed where the agent asks for signed identities. */
export type Identity = {
  userId: string;
  userEmail?: string;
  userName?: string;
  /** hex HMAC-SHA256 of `userId` with the agent's identity secret, made by the site's server */
  userHash?: string;
  metadata?: Record<string, unknown>;
};

/** A message of the visitor, or a finished reply. */
export type MessageNotice = { role: "user" | "assistant"; text: string; conversationId: string | null };

export type FormNotice = {
  toolId: string;
  toolName: string;
  event: "shown" | "started" | "submitted" | "failed";
  submissionId?: string;
};

export type TriggerNotice = {
  triggerId: string;
  triggerName: string;
  actionType: "open_chat" | "show_form" | "show_bubble";
  event: "fired" | "converted";
};

/** What `Foyer.on` can hear. */
export type FoyerEvents = {
  ready: undefined;
  open: undefined;
  close: undefined;
  message: MessageNotice;
  form: FormNotice;
  trigger: TriggerNotice;
};

/** Draws a result in the site's own way into `place`, an empty element. May return what undoes it. */
export type Renderer = (
  place: HTMLElement,
  result: { toolName: string; slots: Display["slots"]; options: Display["options"]; result: unknown },
  /** Says something to the agent in the visitor's name. */
  say: (text: string) => void,
) => undefined | (() => void);

/** Does what a form is for on the page itself. What it throws or rejects with counts as failed. */
export type FormHandler = (
  formData: Record<string, unknown>,
  submission: { submissionId: string; toolId: string; toolName: string },
) => FormHandlerResult | undefined | Promise<FormHandlerResult | undefined>;

export type FormHandlerResult = { success: boolean; message?: string; data?: Record<string, unknown> };

/** `window.Foyer`, once the widget runs. Before that it is a list that takes `["open"]` or a function of this object. */
export type FoyerApi = {
  /** Opens the chat. `message` is put into the field where the visitor writes. */
  open(options?: { message?: string }): void;
  close(): void;
  toggle(): void;
  /** Shows the widget again after `hide`. */
  show(): void;
  /** Takes the whole widget off the page, as if it were not there; a conversation goes on. */
  hide(): void;
  /** Tells of an event that triggers may wait for. */
  track(name: string, data?: Record<string, unknown>): void;
  identify(identity: Identity): void;
  /** Forgets the visitor: conversations, session and identity, in this browser. */
  logout(): void;
  /** What forms may fill in as `{{context.…}}`; replaces what was set before. */
  setContext(context: Record<string, unknown>): void;
  on<Name extends keyof FoyerEvents>(name: Name, listener: (detail: FoyerEvents[Name]) => void): () => void;
  off<Name extends keyof FoyerEvents>(name: Name, listener: (detail: FoyerEvents[Name]) => void): void;
  registerFormHandler(name: string, handler: FormHandler): void;
  /** For results whose display is `custom`, by the tool's name. */
  registerRenderer(toolName: string, renderer: Renderer): void;
  /** With `data-consent="required"`: the visitor agreed to storage. */
  consent(): void;
  /** Takes the widget away with all that it listens to. */
  destroy(): void;
  /** Runs at once what before the load would have waited: `["open"]`, or a function of this object. */
  push(...calls: QueuedCall[]): void;
};

export type QueuedCall = [name: string, ...args: unknown[]] | ((foyer: FoyerApi) => void);
