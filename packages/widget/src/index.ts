export type {
  FormHandler,
  FormHandlerResult,
  FormNotice,
  FoyerApi,
  FoyerEvents,
  Identity,
  MessageNotice,
  Renderer,
  TriggerNotice,
} from "./foyer-api.ts";
export { type LoadOptions, loadFoyer } from "./load-foyer.ts";
