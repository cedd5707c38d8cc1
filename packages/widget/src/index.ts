export type {
  FormHandler,
  FormHandlerResult,
  FormNotice,
  FormSubmissionFacts,
  FoyerApi,
  FoyerEvents,
  Identity,
  MessageNotice,
  Renderer,
  TriggerNotice,
} from "./foyer-api.ts";
export { type LoadOptions, loadFoyer } from "./load-foyer.ts";
