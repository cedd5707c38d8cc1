import type { Messages } from "../locales/en.ts";
import { type PanelContext, usePanel } from "../panel/panel-context.ts";
import type { FormMessages } from "./texts/load-form-messages.ts";

/** The panel with the messages of forms, which load with the first form. */
export type FormPanel = Omit<PanelContext, "messages"> & { messages: Messages & FormMessages };

/** `mountForm` renders a form with the complete messages. */
export const useFormPanel = (): FormPanel => usePanel() as FormPanel;
