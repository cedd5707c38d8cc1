export type {
  FormHandler,
  FormHandlerResult,
  FormNotice,
  FormSubmissionFacts,
  FoyerApi,
  FoyerEvents,
  HandoffNotice,
  Identity,
  MessageNotice,
  Renderer,
  ToolHandler,
  ToolOptions,
  TriggerNotice,
} from "./foyer-api.ts";
export { type LoadOptions, loadFoyer } from "./load-foyer.ts";
