import type { Request } from "@foyer/sdk";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Chat } from "../chat/create-chat.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Words } from "../locales/en.ts";
import type { Forms } from "./load-forms.ts";

/** What every part of the panel may need. */
export type PanelContext = {
  core: WidgetCore;
  request: Request;
  words: Words;
  chat: Chat;
  loadForms: () => Promise<Forms>;
};

const Context = createContext<PanelContext | null>(null);

export const PanelProvider = Context.Provider;

export function usePanel(): PanelContext {
  const context = useContext(Context);
  if (!context) throw new Error("outside of the panel");
  return context;
}
